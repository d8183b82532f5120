import { HttpApi } from "@effect/platform"
import { ClientSecret } from "@place-access/domain/apps"
import { Delivery, RetrySchedule } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { Api } from "@place-access/adapters-http/Api"
import * as ErrorCatalogue from "@place-access/adapters-http/openapi/ErrorCatalogue"
import * as EventCatalogue from "@place-access/adapters-http/openapi/EventCatalogue"
import { type Json, list, object, text } from "@place-access/adapters-http/openapi/Json"
import { operationId } from "@place-access/adapters-http/openapi/Names"
import { fields } from "@place-access/adapters-http/pages/docs/schemaWords"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import { Context, Option } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const ROOT = join(import.meta.dirname, "../../../..")
const HTML = { headers: { accept: "text/html" } }

let world: World
/** The HTML of every page that links from `/docs` reach, directly or through other pages, by the path of the page. */
const pages = new Map<string, string>()
const links: Array<{ readonly from: string; readonly to: URL }> = []

beforeAll(async () => {
  world = await startWorld()
  const visit = async (path: string): Promise<void> => {
    if (pages.has(path)) return
    const { status, text } = await world.call(path, HTML)
    expect([path, status]).toEqual([path, 200])
    pages.set(path, text)
    for (const [, href = ""] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const to = new URL(unescape(href), world.url + path)
      links.push({ from: path, to })
      if (to.origin === world.url && to.pathname.startsWith("/docs")) await visit(to.pathname)
    }
  }
  await visit("/docs")
})
afterAll(() => world.close())

const unescape = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const textOf = (html: string): string => unescape(html.replace(/<[^>]*>/g, ""))

const page = (path: string): string => pages.get(path) ?? `no such page: ${path}`

const ids = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id = ""]) => unescape(id))

/** The HTML of the element with the id, up to the next element with an id. */
const after = (html: string, id: string): string => html.split(` id="${id}"`)[1]?.split(/\sid="/)[0] ?? ""

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly scope: Option.Option<string>
}

const operations: Array<Operation> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    operations.push({
      id: operationId(`${group.identifier}.${endpoint.name}`),
      method: endpoint.method,
      path: endpoint.path.replace(/:(\w+)/g, "{$1}"),
      scope: Context.getOption(mergedAnnotations, RequiredScope)
    })
  }
})

describe("what is documented", () => {
  it("no page shows a value that is missing, as NaN, undefined or [object Object]", () => {
    const shown = Array.from(pages, ([path, html]) => [
      path,
      /\b(NaN|undefined)\b|\[object \w+\]/.exec(textOf(html))?.[0]
    ])
    expect(shown.filter(([, found]) => found !== undefined)).toEqual([])
  })

  it("every operation: on the page of its tag, with method, path, example and errors, and in the table of contents [wire-1-reference]", () => {
    expect(operations.length).toBeGreaterThan(80)
    for (const { id, method, path } of operations) {
      const found = Array.from(pages).filter(
        ([name, html]) => name.startsWith("/docs/reference/") && ids(html).includes(id)
      )
      expect([id, found.length]).toEqual([id, 1])
      const [name = "", html = ""] = found[0] ?? []
      const section = html.split(`<section class="operation" id="${id}"`)[1]?.split("</section>")[0] ?? ""
      expect(textOf(section)).toContain(`${method}${path}`)
      expect(section).toContain(`curl ${method === "GET" ? "" : `-X ${method} `}`)
      expect([id, section.includes("/docs/errors/internal_error")]).toEqual([id, true])
      expect(page("/docs/reference")).toContain(`href="${name}#${id}"`)
    }
  })

  it("every operation says which scope it needs, and every scope what it opens [wire-1-reference]", () => {
    for (const { id, method, path, scope } of operations) {
      if (Option.isNone(scope)) continue
      const html = Array.from(pages.values()).find((one) => one.includes(`<section class="operation" id="${id}"`)) ?? ""
      const section = html.split(`<section class="operation" id="${id}"`)[1]?.split("</section>")[0] ?? ""
      const named = Scope.all.filter((one) => section.includes(`href="/docs/authorization#${one}"`))
      const expected = scope.value === "any_standard" ? Scope.standard : scope.value === "none" ? [] : [scope.value]
      expect([id, named]).toEqual([id, expected])
      const row =
        expected.length === 1 ? after(page("/docs/authorization"), expected[0] ?? "") : page("/docs/authorization")
      expect([id, textOf(row).includes(`${method} ${path}`)]).toEqual([id, true])
    }
    for (const scope of Scope.all) {
      const row = textOf(after(page("/docs/authorization"), scope))
      expect(row).toContain(Scope.describe[scope])
      expect([scope, row.includes("Sensitive")]).toEqual([scope, Scope.isSensitive(scope)])
    }
  })

  it("every operation says who may call it, and its example has credentials exactly when a call needs them [wire-1-reference]", async () => {
    const { paths } = (await world.call("/openapi.json")).json as {
      readonly paths: Record<string, Record<string, { readonly security?: ReadonlyArray<object> }>>
    }
    for (const { id, method, path } of operations) {
      const html = Array.from(pages.values()).find((one) => one.includes(`<section class="operation" id="${id}"`)) ?? ""
      const section = html.split(`<section class="operation" id="${id}"`)[1]?.split("</section>")[0] ?? ""
      const caller = textOf(/<dt>Who may call<\/dt>\s*<dd>([\s\S]*?)<\/dd>/.exec(section)?.[1] ?? "").trim()
      expect([id, caller]).not.toEqual([id, ""])
      const needsCredentials = (paths[path]?.[method.toLowerCase()]?.security ?? []).length > 0
      expect([id, caller !== "Anybody" || !needsCredentials]).toEqual([id, true])
      const example = textOf(section.split(">Example</p>")[1]?.split("</pre>")[0] ?? "").trim()
      const hasCredentials = /\$(TOKEN|PHONE_TOKEN|CLIENT_SECRET)|-b cookies/.test(example)
      expect([id, example.startsWith("curl"), hasCredentials]).toEqual([id, true, needsCredentials])
    }
  })

  it("the example of a phone app that fills in an address has a position", () => {
    const [, section = ""] = page("/docs/reference/phone-apps").split('id="phoneAppsOsmandQuery"')
    expect(textOf(section)).toContain(`curl '${world.url}/v1/phone/osmand?lat=52.3702&lon=4.8952'`)
  })

  it("an app's server makes test people: the reference lists them with the app's operations [test-people-2]", () => {
    const section = page("/docs/reference").split('id="app"')[1]?.split('id="developer"')[0] ?? ""
    expect(section).toContain('href="/docs/reference/test-people"')
    expect(textOf(page("/docs/reference/test-people"))).toContain('-u "$CLIENT_ID:$CLIENT_SECRET"')
  })

  it("every event type, with a body that the domain made [wire-1-events]", () => {
    const html = page("/docs/webhooks")
    const shown = Array.from(
      html.matchAll(/<code class="language-json">([\s\S]*?)<\/code>/g),
      ([, text = ""]) => JSON.parse(unescape(text)) as { readonly type: string }
    )
    expect(shown.map(({ type }) => type).sort()).toEqual([...Event.EventType.literals].sort())
    for (const { body } of EventCatalogue.ENTRIES.flatMap(({ examples }) => examples)) {
      expect(shown).toContainEqual(JSON.parse(body))
    }
    for (const name of Event.SUBSCRIBABLE) expect(ids(html)).toContain(name)
    for (const [type, scope] of [
      ["rule.fired", "location.rules.place"],
      ["rule.fired", "location.rules.zone"],
      ["places.changed", "location.places.watch"]
    ] as const) {
      const row = html.split(`<a href="#${type}">`)[1]?.split("</tr>")[0] ?? ""
      expect(row).toContain(scope)
      expect(textOf(after(page("/docs/authorization"), scope))).toContain(`Event ${type}`)
    }
  })

  it("the type of every field of an event, one that is described as well", () => {
    const html = page("/docs/webhooks")
    const rows = html.split("</tr>").filter((row) => row.includes("When the event happened, not when it was sent"))
    expect(rows.length).toBe(EventCatalogue.ENTRIES.length)
    for (const row of rows) expect(textOf(row)).toContain("time, ISO 8601")
    expect(html).not.toContain(">anything<")
  })

  it("how late a rule's event can be, and how long a client secret that was replaced is good", () => {
    const late = textOf(after(page("/docs/webhooks"), "rules")).replace(/\s+/g, " ")
    expect(RuleEvaluation.STALE_AFTER).toBe(15 * Timestamp.MINUTE)
    expect(late).toContain("A reading that reaches us more than 15 minutes after its capture fires nothing")
    const tokens = textOf(after(page("/docs/authorization"), "tokens")).replace(/\s+/g, " ")
    expect(ClientSecret.OVERLAP).toBe(Timestamp.DAY)
    expect(tokens).toContain("until the next is issued, and 1 day more")
  })

  it("the retry schedule as it is kept [wire-1-events]", () => {
    const rows = textOf(after(page("/docs/webhooks"), "retries")).replace(/\s+/g, " ")
    for (const words of ["30 seconds", "5 minutes", "30 minutes", "2 hours", "6 hours", "15 hours"]) {
      expect(rows).toContain(words)
    }
    expect(rows).toContain(`${RetrySchedule.MAX_ATTEMPTS} attempts, over 23 hours 35 minutes 30 seconds`)
    expect(Delivery.ANSWER_DEADLINE).toBe(5_000)
    expect(textOf(after(page("/docs/webhooks"), "answering"))).toContain("within 5 seconds")
  })

  it("every error code with its status, meaning, advice and the body as it is sent [wire-1-reference]", () => {
    const html = page("/docs/errors")
    const codes = Errors.WireError.members.map(({ fields }) => fields.error.literals[0])
    expect(ErrorCatalogue.ENTRIES.map(({ code }) => code)).toEqual(codes)
    for (const { advice, code, meaning, status } of ErrorCatalogue.ENTRIES) {
      const example = ErrorCatalogue.exampleOf(code, { baseUrl: world.url })
      const row = textOf(after(html, code))
      for (const part of [code, status, meaning, advice.replaceAll("`", "")]) expect(row).toContain(String(part))
      expect(meaning.length).toBeGreaterThan(5)
      expect(unescape(html)).toContain(JSON.stringify(example, null, 2))
      expect(example).toMatchObject({ statusCode: status, error: code })
    }
  })
})

it("the table of rates has each rate of the links that are mailed to one mailbox [limits-2]", () => {
  const rows = [...page("/docs/errors").matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => textOf(row))
  const of = (part: string) =>
    rows.filter((row) => row.includes(part)).map((row) => row.match(/\d+ in \d+ (?:minutes|day)/g))
  expect(of("Mailed links of one kind")).toEqual([["3 in 30 minutes"]])
  expect(of("Links for a sign-up")).toEqual([["3 in 30 minutes", "10 in 30 minutes"]])
  expect(of("Links that change the account")).toEqual([["3 in 1 day", "10 in 30 minutes"]])
})

it("the types of fields name each type and null once, and a merged field says what its null means [wire-1-reference]", () => {
  const rows = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => ({
      path,
      cells: [...row.matchAll(/<t[hd][ >]([\s\S]*?)<\/t[hd]>/g)].map(([cell]) =>
        textOf(cell).replace(/\s+/g, " ").trim()
      )
    }))
  )
  const repeated = /or null.*or null|^(.+)(?:, or null)? or \1(?:, or null)?$/
  expect(rows.length).toBeGreaterThan(500)
  expect(rows.filter(({ cells }) => repeated.test(cells[1] ?? "")).map(({ cells, path }) => [path, ...cells])).toEqual(
    []
  )
  const answer = rows.find(({ cells, path }) => path === "/docs/reference/answers" && cells[0] === "asOf")
  expect(answer?.cells.slice(1)).toEqual([
    "time, ISO 8601, or null",
    "When the phone captured the reading that decided the answer; null when no reading decided"
  ])
})

it("a field of a union has the literals of all alternatives [wire-1-reference]", async () => {
  const { components } = (await world.call("/openapi.json")).json as { components: { schemas: Json } }
  const schemas = components.schemas
  const follow = (schema: unknown): Json => {
    const { $ref, allOf } = object(schema)
    const target = text($ref ?? object(list(allOf)[0])["$ref"])
    return target === "" ? object(schema) : follow(schemas[target.split("/").at(-1) ?? ""])
  }
  const wanted = Object.entries(schemas).flatMap(([union, schema]) =>
    list(object(schema)["oneOf"]).flatMap((form) =>
      Object.entries(object(follow(form)["properties"])).flatMap(([name, field]) =>
        list(follow(field)["enum"]).map((literal) => `${union} ${name} \`${String(literal)}\``)
      )
    )
  )
  expect(wanted).toContain("NewPlaceRule type `enter`")
  const shown = (line: string) => {
    const [union = "", name, literal = ""] = line.split(" ")
    return fields(object(schemas[union]), schemas).some(({ path, type }) => path === name && type.includes(literal))
  }
  expect(wanted.filter((line) => !shown(line))).toEqual([])
})

describe("the pages", () => {
  it("no link inside leads nowhere, no anchor to nothing, and no id is there twice [wire-1-reference]", () => {
    expect(pages.size).toBeGreaterThan(30)
    for (const [path, html] of pages) {
      const own = ids(html)
      expect([path, own.filter((id, index) => own.indexOf(id) !== index)]).toEqual([path, []])
    }
    const isThere = (to: URL) => to.hash === "" || ids(page(to.pathname)).includes(decodeURIComponent(to.hash.slice(1)))
    const inside = links.filter(({ to }) => to.origin === world.url && to.pathname.startsWith("/docs"))
    expect(inside.length).toBeGreaterThan(500)
    expect(inside.filter(({ to }) => !isThere(to)).map(({ from, to }) => `${from} to ${to.href}`)).toEqual([])
    const others = new Set(links.filter(({ to }) => !to.pathname.startsWith("/docs")).map(({ to }) => to.href))
    expect(Array.from(others).sort()).toEqual(
      ["/", "/developer", "/llms.txt", "/openapi.json", "/portal/access-log"].map((path) => world.url + path)
    )
  })

  it("are found from the front page and from every page of somebody who is signed in", async () => {
    expect((await world.call("/", HTML)).text).toContain('href="/docs"')
    const person = await world.person()
    expect((await person.get("/developer", HTML)).text).toContain('href="/docs"')
  })

  it("are the same for everybody, set no cookie, and are asked for again only when they have changed [wire-1-open]", async () => {
    const person = await world.person()
    for (const path of ["/docs", "/docs/webhooks", "/docs/reference/rules", "/openapi.json"]) {
      const first = await world.call(path, HTML)
      const etag = first.headers.get("etag") ?? ""
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      expect(first.headers.get("cache-control")).toBe("public, no-cache")
      expect(first.headers.getSetCookie()).toEqual([])
      expect((await person.get(path, HTML)).text).toBe(first.text)
      const repeated = await world.call(path, { headers: { "if-none-match": `"other", W/${etag}` } })
      expect([repeated.status, repeated.text, repeated.headers.get("etag")]).toEqual([304, "", etag])
      const other = await world.call(path, { headers: { "if-none-match": '"other"' } })
      expect([other.status, other.text]).toEqual([200, first.text])
      const head = await world.call(path, { method: "HEAD" })
      expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag])
      expect(head.headers.get("content-type")).toBe(first.headers.get("content-type"))
    }
  })

  it("run one script of ours, from a file, and take nothing from elsewhere", async () => {
    const { headers } = await world.call("/docs", HTML)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    for (const [path, html] of pages) {
      if (path === "/docs/changes.atom") continue // The feed is not a page: its links are whole addresses.
      expect([
        path,
        /<script(?! src="\/assets\/docs\.[\w-]+\.js" defer><\/script>)|\sstyle=|<iframe|\son\w+=/.exec(html)
      ]).toEqual([path, null])
      for (const [, source = ""] of html.matchAll(/(?:src|<link rel="(?!alternate)[^>]* href)="([^"]*)"/g))
        expect(source).toMatch(/^\/assets\//)
      for (const [, source = ""] of html.matchAll(/<link rel="alternate"[^>]* href="([^"]*)"/g))
        expect(source).toMatch(/^\/docs(?:\/[\w/-]+)?\.(?:md|atom)$/)
    }
  })

  it("a page that is not there is a page that says so", async () => {
    for (const path of ["/docs/anything", "/docs/reference/anything", "/docs/reference/rules/more"]) {
      const { headers, status, text } = await world.call(path, HTML)
      expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
      expect(text).toContain("This page does not exist")
    }
  })

  it("need no token, and one that is wrong does not matter", async () => {
    expect((await world.call("/docs", bearer("nonsense"))).status).toBe(200)
  })
})

describe("the quick start", () => {
  it("has the steps of docs/quick-start.md, word for word, with the address of this server [wire-1-start]", () => {
    const [, ...sections] = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8").split(/^## /m)
    expect(sections.pop()).toMatch(/^Next\n/)
    const source = sections.join("\n\n")
    const blocks = Array.from(source.matchAll(/^```bash\n([\s\S]*?)^```$/gm), ([, code = ""]) => code.trimEnd())
    const shown = Array.from(
      page("/docs/quick-start").matchAll(/<code class="language-bash">([\s\S]*?)<\/code>/g),
      ([, code = ""]) => unescape(code)
    )
    expect(blocks.length).toBeGreaterThan(6)
    expect(shown).toEqual(blocks.map((block) => block.replaceAll("http://localhost:8080", world.url)))
    const prose = textOf(page("/docs/quick-start")).replace(/\s+/g, " ")
    for (const paragraph of source.replace(/^```bash\n[\s\S]*?^```$/gm, "").split(/\n\s*\n/)) {
      expect(prose).toContain(paragraph.replace(/[`*]/g, "").replace(/\s+/g, " ").trim())
    }
  })

  it("says how the service reaches the reader's machine, and what to do where strangers make no accounts", async () => {
    expect(textOf(page("/docs/quick-start"))).toContain("ALLOW_INSECURE_WEBHOOKS=true")
    const other = await startWorld({
      baseUrl: "https://access.place.test",
      authUrl: "https://consent.place.test",
      signUp: "closed"
    })
    const text = textOf((await other.call("/docs/quick-start", HTML)).text)
    await other.close()
    expect(text).toContain("export SERVICE=${SERVICE:-https://access.place.test}")
    expect(text).toContain("export APP_URL=https://…")
    expect(text).toContain('AUTHORIZE="https://consent.place.test/authorize?')
    expect(text).toContain("Admins of this server create the accounts")
  })

  it("says, where an address must be confirmed first, to sign up on the page and to leave the call out [accounts-11]", async () => {
    const other = await startWorld({ addressRule: "confirmed" })
    const { text } = await other.call("/docs/quick-start", HTML)
    const account = { email: "me-1@example.com", password: "correct horse battery staple" }
    const post = (path: string) => other.call(path, { method: "POST", ...jsonBody(account) })
    const [signedUp, signedIn] = [await post("/v1/accounts"), await post("/v1/session")]
    await other.close()
    // On this server an account needs a confirmed address. So the calls of the quick start make no session, and the
    // page must say what the reader can do instead.
    expect([signedUp.status, signedIn.status]).toEqual([202, 401])
    const note = /<div class="note">([\s\S]*?)<\/div>/.exec(text)?.[1] ?? ""
    expect(note).toContain('<a href="/sign-up">')
    expect(textOf(note).replace(/\s+/g, " ")).toMatch(/open the link\. Then leave the call of \/v1\/accounts out/)
    expect(note).toContain("<code>code</code>")
    expect(page("/docs/quick-start")).not.toContain("leave the call")
  })
})
