import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { AccountLimits } from "@place-access/domain/quotas"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { CURRENT } from "../support/connected.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const creations = ({ account }: Person) =>
  takeCall(Subject.madeBy(account.id), Rate.CREATIONS).pipe(
    Effect.replicateEffect(AccountLimits.CREATIONS.most - 1, { discard: true })
  )
const addresses = ({ account }: Person) =>
  takeCall(Subject.webhooksOf(account.id), Rate.WEBHOOK_ADDRESSES).pipe(
    Effect.replicateEffect(AccountLimits.WEBHOOK_ADDRESSES.most - 1, { discard: true })
  )

const ownApp = async (owner: Person) => `/developer/apps/${(await world.app(owner)).app.id}`

/** The page of the form, the address to which the form is posted, and what is typed. */
type Form = readonly [page: string, action: string, typed: Readonly<Record<string, string | ReadonlyArray<string>>>]

const forms: ReadonlyArray<
  readonly [name: string, useAllButOne: typeof creations, form: (owner: Person) => Promise<Form>]
> = [
  [
    "app",
    creations,
    async () => [
      "/developer/apps/new",
      "/developer/apps",
      { name: "Tea Finder", description: "Finds good tea.", scopes: [CURRENT] }
    ]
  ],
  [
    "purpose",
    creations,
    async (owner) => {
      const path = await ownApp(owner)
      const purpose_description = "To have your tea ready when you arrive at the tea house"
      const typed = { key: "tea", purpose_description, purpose_scopes: ["location.latest.read"] }
      return [path, `${path}/purposes`, { ...typed, expected_daily_volume: "100" }]
    }
  ],
  [
    "device",
    creations,
    async () => ["/portal/devices?phone=android", "/portal/devices", { name: "Tea phone", format: "overland" }]
  ],
  [
    "endpoint",
    addresses,
    async (owner) => {
      const path = `${await ownApp(owner)}/webhooks`
      return [path, path, { url: "https://hooks.example.com/tea", events: ["rule.fired"] }]
    }
  ]
]

it.each(forms)(
  "the form of a new %s that is sent again gets the first answer, also at the limit, and counts once [idempotency-6, limits-9]",
  async (_, useAllButOne, form) => {
    const owner = await world.person()
    const [path, action, typed] = await form(owner)
    const browser = await signedIn(world, owner.account.email)
    await world.run(useAllButOne(owner))
    const page = await browser.get(path)
    const send = async () => {
      const { headers, status, text } = await browser.submit(page, action, typed)
      const secret = /data-testid="(?:signing-secret|device-token)"\s*>([^<]+)</.exec(text)?.[1]
      return { status, location: headers.get("location"), secret }
    }
    const first = await send()
    expect([200, 303]).toContain(first.status)
    expect(first.location ?? first.secret).toEqual(expect.any(String))
    expect(await send()).toEqual(first)
    const another = await browser.submit(await browser.get(path), action, typed)
    expect(another.status).toBe(429)
  }
)

it("the host of a new endpoint is looked up once for a form that is sent twice, and never beyond the limit", async () => {
  const owner = await world.person()
  const path = `${await ownApp(owner)}/webhooks`
  const browser = await signedIn(world, owner.account.email)
  const url = "https://hooks.example.com/looked-up"
  let lookUps = 0
  const counting = Effect.sync(() => void lookUps++)
  await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.scriptLookUp(url, counting)))
  await world.run(addresses(owner))
  const page = await browser.get(path)
  const send = (shown: typeof page) => browser.submit(shown, path, { url, events: ["rule.fired"] })
  const statuses = [(await send(page)).status, (await send(page)).status, (await send(await browser.get(path))).status]
  expect([statuses, lookUps]).toEqual([[200, 200, 429], 1])
})
