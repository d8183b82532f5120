import { Effect } from "effect"
import { TourStopped, type DemoVisitor } from "./Visitor.js"

interface ConsentChoice {
  /** The address of the consent page, such as `{auth_url}/authorize?…`. */
  readonly url: string
  readonly scope: string
  readonly placeId: string
}

/**
 * Acts on the consent page like a person: opens the page, selects one place and no end date, and presses Allow. Returns
 * the address with which the browser comes back to the app.
 */
export const allow = (browser: DemoVisitor, { placeId, scope, url }: ConsentChoice): Effect.Effect<URL, TourStopped> =>
  Effect.gen(function* () {
    const page = yield* open(browser, url)
    const form = decisionForm(page.text)
    if (form === undefined) return yield* stopped(`the page at ${page.url} has no form to decide with`)
    const fields = new URLSearchParams([
      ...hiddenFields(form),
      ["scope", scope],
      ["place", placeId],
      // The demo chooses no end date: a log may cover more days than the longest other choice, and the rules would end
      // with the connection.
      ["standard_days", "never"],
      ["sensitive_days", "30"],
      ["decision", "allow"]
    ])
    const action = attribute(/<form\b[^>]*>/.exec(form)?.[0] ?? "", "action") ?? ""
    const answer = yield* browser.call("POST", new URL(action, page.url).href, { form: fields })
    const location = answer.headers.get("location")
    return location === null
      ? yield* stopped(`the consent form was answered with ${answer.status}: ${answer.text.slice(0, 500)}`)
      : new URL(location)
  })

const stopped = (message: string): Effect.Effect<never, TourStopped> => new TourStopped({ message })

/** Follows redirects until the answer is a page. */
const open = (
  browser: DemoVisitor,
  url: string
): Effect.Effect<{ readonly url: string; readonly text: string }, TourStopped> =>
  Effect.flatMap(browser.call("GET", url), ({ headers, status, text }) => {
    const location = headers.get("location")
    if (location !== null && status >= 300 && status < 400) return open(browser, new URL(location, url).href)
    return status === 200
      ? Effect.succeed({ url, text })
      : stopped(`GET ${url} answered ${status}: ${text.slice(0, 500)}`)
  })

const decisionForm = (html: string): string | undefined =>
  (html.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find((form) => form.includes('name="decision"'))

const hiddenFields = (form: string): ReadonlyArray<[string, string]> =>
  (form.match(/<input\b[^>]*>/g) ?? [])
    .filter((tag) => attribute(tag, "type") === "hidden")
    .map((tag) => [attribute(tag, "name") ?? "", attribute(tag, "value") ?? ""])

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" }

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replace(/&(#?\w+);/g, (entity, key: string) => ENTITIES[key.toLowerCase()] ?? entity)
