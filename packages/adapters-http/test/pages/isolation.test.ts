import { Isolation } from "@place-access/domain/languages"
import type { Language } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { arabicNames, change, NAMES } from "../support/arabicNames.js"
import { bearer, startWorld, type World } from "../support/World.js"

const { FIRST_STRONG_ISOLATE: FSI, POP_DIRECTIONAL_ISOLATE: PDI } = Isolation
const HTML = { headers: { accept: "text/html" } }
const ALL: ReadonlySet<string> = new Set(Object.values(NAMES))
const ARABIC = /\p{Script=Arabic}/u

/** Decodes the escaped characters of an attribute or of a text, as a browser does before it shows them. */
const decoded = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** The attributes that people see or hear. Only programs read all other attributes. */
const READ_ALOUD = new Set(["alt", "aria-label", "data-label", "placeholder", "title"])
/** Elements whose text cannot have elements. */
const PLAIN = new Set(["title", "option", "textarea", "text"])
const VOID = new Set(["br", "hr", "img", "input", "link", "meta", "wbr"])

const isIsolated = (text: string): boolean => {
  const rest = [...ALL].reduce((left, name) => left.replaceAll(FSI + name + PDI, ""), text)
  return !ARABIC.test(rest) && !rest.includes(FSI) && !rest.includes(PDI)
}

/** The texts of a page in which a name is not isolated, and the names that the page has. */
const inspect = (page: string): { readonly faults: ReadonlyArray<string>; readonly seen: ReadonlySet<string> } => {
  const faults: Array<string> = []
  const seen = new Set<string>()
  const open: Array<string> = []
  const look = (text: string): void => {
    for (const name of ALL) if (text.includes(name)) seen.add(name)
  }
  for (const [token] of page.matchAll(/<!doctype[^>]*>|<\/?[a-z][^>]*>|[^<]+/gi)) {
    if (token.startsWith("</")) {
      const name = token.slice(2, -1).trim().toLowerCase()
      if (open.pop() !== name) faults.push(`not closed: ${token}`)
    } else if (token.startsWith("<!")) {
      continue
    } else if (token.startsWith("<")) {
      const name = /^<([a-z][a-z0-9]*)/i.exec(token)?.[1]?.toLowerCase() ?? ""
      for (const [, attribute = "", value = ""] of token.matchAll(/([\w-]+)="([^"]*)"/g)) {
        const text = decoded(value)
        look(text)
        const isRight = READ_ALOUD.has(attribute) ? isIsolated(text) : !text.includes(FSI) && !text.includes(PDI)
        if (!isRight) faults.push(`${attribute}="${text}"`)
      }
      if (!VOID.has(name) && !token.endsWith("/>")) open.push(name)
    } else if (ARABIC.test(token) || token.includes(FSI) || token.includes(PDI)) {
      const text = decoded(token)
      look(text)
      const within = open.at(-1) ?? ""
      const isCode = open.some((name) => name === "code" || name === "pre")
      const isRight =
        within === "textarea"
          ? !text.includes(FSI)
          : PLAIN.has(within)
            ? isIsolated(text)
            : within === "bdi" && (ALL.has(text) || isCode)
      if (!isRight) faults.push(`<${within}>: ${text.trim()}`)
    }
  }
  return { faults, seen }
}

describe("names in Arabic, on every page [languages-5]", () => {
  let world: World
  let stage: Awaited<ReturnType<typeof arabicNames>>
  beforeAll(async () => {
    world = await startWorld({ hasMailbox: true })
    stage = await arabicNames(world)
  })
  afterAll(() => world.close())

  it.each<Language.Language>(["en", "de"])("each name is isolated, and nothing else, in %s", async (language) => {
    const { ada, addresses } = stage
    await change(world, ada, { language })
    const faults: Array<string> = []
    const seen = new Set<string>()
    let [pages, renewals] = [0, 0]
    for (const address of addresses) {
      const { headers, status, text } = await ada.get(address, HTML)
      if (!(headers.get("content-type") ?? "").startsWith("text/html")) {
        if (text.includes(FSI) || text.includes("<bdi>")) faults.push(`${address}: isolates in a file`)
        continue
      }
      if (status === 200) pages += 1
      if (text.includes('value="renew_sensitive"')) renewals += 1
      const found = inspect(text)
      for (const name of found.seen) seen.add(name)
      faults.push(...found.faults.map((fault) => `${address}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(pages).toBeGreaterThan(50)
    expect(renewals).toBe(1)
    expect(Object.values(NAMES).filter((name) => !seen.has(name))).toEqual([])
  })

  it("answers for programs have the names as they are", async () => {
    const { accessToken, ada } = stage
    const places = await world.call("/v1/answers/places", bearer(accessToken))
    expect(places.text).toContain(NAMES.home)
    for (const path of ["/v1/user/places", "/v1/user/access-log", "/v1/user/connections", "/portal/access-log.csv"]) {
      const { text } = await ada.get(path)
      expect([path, ARABIC.test(text), text.includes(FSI), text.includes(PDI)]).toEqual([path, true, false, false])
    }
  })

  it("a field sends a name back as it is", async () => {
    const { ada, values } = stage
    const { text } = await ada.get(`/portal/places/${values["place"] ?? ""}`, HTML)
    expect(text).toContain(`value="${NAMES.home}"`)
  })
})
