import { AppStore, type App } from "@place-access/domain/apps"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { CURRENT, connected, LATEST, RULES } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** A connection with scopes of three groups. `limit`: limits the scopes of the app, as an admin does. */
const granted = async () => {
  const { app, connect, connection, person } = await connected(world)
  await connect([CURRENT, RULES, LATEST])
  const update = (change: Partial<App.App>) =>
    world.run(
      Effect.flatMap(AppStore, (apps) =>
        apps.update(app.id, (before) => ({
          outcome: 0,
          after: { ...before, app: { ...before.app, ...change } }
        }))
      )
    )
  const { id } = await connection()
  const path = `/portal/connections/${id}`
  const browser = await signedIn(world, person.account.email)
  return {
    update,
    limit: (allowedScopes: App.App["allowedScopes"]) => update({ allowedScopes }),
    page: () => browser.get(path),
    list: () => browser.get("/portal/connections"),
    save: async (page: Awaited<ReturnType<typeof browser.get>>, scopes: ReadonlyArray<string>, more = {}) =>
      browser.submit(page, `${path}/permissions`, { scopes, standard_days: "", sensitive_days: "", ...more }),
    held: async () => (await connection()).heldScopes
  }
}

/** The boxes of the form: each scope, whether it is ticked, and the badge beside it. */
const boxes = (page: string) =>
  [...page.matchAll(/<div class="choice">([^]*?)<\/div>\s*<\/div>/g)].flatMap(([, box = ""]) => {
    const scope = /value="(location\.[\w.]+)"/.exec(box)?.[1]
    const badge = /class="badge quiet">([^<]*)</.exec(box)?.[1] ?? ""
    return scope === undefined ? [] : [[scope, /\schecked\b/.test(box), badge]]
  })

describe("scopes that an admin does not allow the app now", () => {
  it("are shown as granted, with a badge, and stay when the person saves the form as it is", async () => {
    const { held, limit, page, save } = await granted()
    const all = await held()
    await limit([CURRENT])
    const limited = await page()
    expect(boxes(limited.text)).toEqual([
      [CURRENT, true, ""],
      [RULES, true, "Not now"],
      [LATEST, true, "Not now"]
    ])
    expect((await save(limited, [CURRENT, RULES, LATEST])).status).toBe(303)
    await limit(null)
    expect(await held()).toEqual(all)
  })

  it("can be taken away, and are then gone after the limit too", async () => {
    const { held, limit, page, save } = await granted()
    await limit([CURRENT])
    expect((await save(await page(), [CURRENT, RULES])).status).toBe(303)
    expect(boxes((await page()).text)).toEqual([
      [CURRENT, true, ""],
      [RULES, true, "Not now"]
    ])
    await limit(null)
    expect(await held()).toEqual([CURRENT, RULES])
    expect(boxes((await page()).text)).toContainEqual([LATEST, false, "Removed"])
  })

  it("when no other scope is left: they are shown, some can be taken away, and the last one stays", async () => {
    const { held, limit, page, save } = await granted()
    await limit([])
    const [limited, none] = [await page(), await page()]
    expect(boxes(limited.text).map(([scope]) => scope)).toEqual([CURRENT, RULES, LATEST])
    const refused = await save(none, [])
    expect([refused.status, refused.text.includes("choose at least one, or disconnect the app")]).toEqual([400, true])
    // After the refusal, the form must show the person's choice again, and it must be possible to send it again.
    expect(boxes(refused.text).map(([, isTicked]) => isTicked)).toEqual([false, false, false])
    expect((await save(refused, [RULES])).status).toBe(303)
    await limit(null)
    expect(await held()).toEqual([RULES])
  })

  it("the app must keep a scope that it can use now", async () => {
    const { limit, page, save } = await granted()
    await limit([CURRENT])
    expect((await save(await page(), [RULES])).status).toBe(400)
  })

  it("a form from before the limit ended is outdated, and takes nothing away", async () => {
    const { held, limit, page, save } = await granted()
    const all = await held()
    await limit([CURRENT])
    const old = await page()
    await limit(null)
    expect((await save(old, [CURRENT])).status).toBe(409)
    expect(await held()).toEqual(all)
  })

  it("a later end of exact location does not prolong them [connection-6]", async () => {
    const { held, limit, page, save, update } = await granted()
    await update({ declaredScopes: [CURRENT, RULES, LATEST, "location.lookup"] })
    await limit([CURRENT])
    // While the limit excludes exact location, the form has no field for the end date of exact location.
    const limited = await page()
    expect(limited.text).not.toContain('name="sensitive_days"')
    expect((await save(limited, [CURRENT, RULES, LATEST], { standard_days: "90" })).status).toBe(303)
    await limit(null)
    expect(await held()).toEqual([CURRENT, RULES, LATEST])
  })

  it("the list of apps has them, and so has the page of a revoked app", async () => {
    const { limit, list, page, update } = await granted()
    const entries = (text: string) => [
      ...(/<ul class="plain lines">([^]*?)<\/ul>/.exec(text)?.[1] ?? "").matchAll(/<li>([^]*?)<\/li>/g)
    ]
    const marked = (text: string) => entries(text).map(([, entry = ""]) => entry.includes("Not now"))
    await limit([CURRENT])
    expect(marked((await list()).text)).toEqual([false, true, true])
    await update({ revokedAt: Timestamp.make(world.clock.now()) })
    const revoked = (await page()).text
    expect(revoked).toContain("What it could do")
    expect(marked(revoked)).toEqual([false, false, false])
  })
})
