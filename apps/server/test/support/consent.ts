import { Schema } from "effect"
import type { Browser } from "playwright-core"
import type { Callback } from "./callback.js"
import type { Client } from "./client.js"
import type { App, Person } from "./people.js"
import { type Pkce, pkce } from "./pkce.js"

/** The address to which an app sends its user's browser (Spec §4.1). */
export const authorizeUrl = (
  baseUrl: string,
  app: App,
  scopes: ReadonlyArray<string>,
  { challenge, state }: Pkce,
  more: Readonly<Record<string, string>> = {}
): string =>
  `${baseUrl}/authorize?${new URLSearchParams({
    client_id: app.id,
    redirect_uri: app.redirectUri,
    scope: scopes.join(" "),
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    ...more
  }).toString()}`

/** The boxes that the user ticks and the values that the user picks. An absent field means the page's default. */
export interface Choices {
  readonly scopes?: ReadonlyArray<string>
  /** Ids of places. */
  readonly places: ReadonlyArray<string>
  readonly standardDays?: string
  readonly decision?: "allow" | "cancel"
}

/**
 * Answers the consent page like a browser without a window: gets the page with the session's cookie, fills in its form,
 * and posts the form. Returns the address to which the service sends the browser.
 */
export const answerConsent = async (user: Client, url: string, choices: Choices): Promise<URL> => {
  const page = await follow(user, url)
  const form = readForm(page.text, "decision")
  const ticked = (name: string, ids: ReadonlyArray<string> | undefined) =>
    ids?.map((value): [string, string] => [name, value]) ??
    form.ticked.filter(([field]) => field === name).map(([, value]): [string, string] => [name, value])
  const answer = await user.call("POST", new URL(form.action, page.url).href, {
    form: new URLSearchParams([
      ...form.hidden,
      ...ticked("scope", choices.scopes),
      ...ticked("place", choices.places),
      ["standard_days", choices.standardDays ?? "30"],
      ["sensitive_days", "30"],
      ["decision", choices.decision ?? "allow"]
    ])
  })
  const location = answer.headers.get("location")
  if (location === null) throw new Error(`the consent form answered ${answer.status}: ${answer.text.slice(0, 2_000)}`)
  return new URL(location)
}

const follow = async (user: Client, from: string): Promise<{ readonly url: string; readonly text: string }> => {
  let url = from
  for (let hops = 0; hops < 5; hops++) {
    const answer = await user.call("GET", url)
    const location = answer.headers.get("location")
    if (location === null || answer.status < 300 || answer.status > 399) {
      if (answer.status !== 200) throw new Error(`GET ${url} answered ${answer.status}: ${answer.text.slice(0, 2_000)}`)
      return { url, text: answer.text }
    }
    url = new URL(location, url).href
    if (new URL(url).origin !== new URL(from).origin) throw new Error(`GET ${from} led away, to ${url}`)
  }
  throw new Error(`GET ${from} leads nowhere`)
}

interface Form {
  readonly action: string
  readonly hidden: ReadonlyArray<[string, string]>
  /** The names and values of the boxes that the page has ticked before the user changes anything. */
  readonly ticked: ReadonlyArray<[string, string]>
}

/** The form of a page that contains a field or button of this name. */
const readForm = (html: string, field: string): Form => {
  const forms = html.match(/<form\b[\s\S]*?<\/form>/g) ?? []
  const form = forms.find((candidate) => candidate.includes(`name="${field}"`))
  if (form === undefined) throw new Error(`the page has no form with ${field}:\n${html.slice(0, 2_000)}`)
  const inputs = (form.match(/<input\b[^>]*>/g) ?? []).map((tag) => ({
    name: attribute(tag, "name") ?? "",
    value: attribute(tag, "value") ?? "",
    type: attribute(tag, "type"),
    checked: /\schecked\b/.test(tag)
  }))
  const pairs = (keep: (input: (typeof inputs)[number]) => boolean) =>
    inputs.filter(keep).map(({ name, value }): [string, string] => [name, value])
  return {
    action: attribute(/<form\b[^>]*>/.exec(form)?.[0] ?? "", "action") ?? "",
    hidden: pairs(({ type }) => type === "hidden"),
    ticked: pairs(({ checked, type }) => type === "checkbox" && checked)
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" }

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replace(/&(#?\w+);/g, (entity, key: string) => ENTITIES[key.toLowerCase()] ?? entity)

/**
 * Does what the user does in a real browser: signs in, ticks the places on the consent page, and presses Allow.
 * Resolves when the browser is back at the app, and returns the visible text of the consent page.
 */
export const approveInBrowser = async (
  browser: Browser,
  user: Pick<Person, "email" | "password">,
  url: string,
  placeLabels: ReadonlyArray<string>,
  callback: Callback
): Promise<{ readonly consentText: string }> => {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(url)
    await page.getByLabel("Email").fill(user.email)
    await page.getByLabel("Password").fill(user.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    const allow = page.getByRole("button", { name: "Allow", exact: true })
    await allow.waitFor()
    const consentText = await page.locator("body").innerText()
    for (const label of placeLabels) await page.locator(`input[name="place"]`).and(page.getByLabel(label)).check()
    await allow.click()
    await page.waitForURL((address) => address.href.startsWith(callback.uri))
    return { consentText }
  } finally {
    await context.close()
  }
}

/** The token response (Spec §4.3, the table "Field of the answer"). */
export const TokenResponse = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Literal(3600),
  refresh_token: Schema.String,
  refresh_token_expires_at: Schema.NullOr(Schema.String),
  sensitive_scopes_expire_at: Schema.NullOr(Schema.String),
  scope: Schema.String,
  sub: Schema.String
})
export type TokenResponse = typeof TokenResponse.Type

export const exchangeCode = (server: Client, app: App, code: string, verifier: string): Promise<TokenResponse> =>
  server.expect("POST", "/v1/oauth/token", {
    status: 200,
    as: TokenResponse,
    json: {
      grantType: "authorization_code",
      clientId: app.id,
      clientSecret: app.clientSecret,
      code,
      codeVerifier: verifier,
      redirectUri: app.redirectUri
    }
  })

/**
 * Connects the app without a browser: the user approves `scopes`, unless `choices` has others, and the app exchanges
 * the code. Returns the tokens.
 */
export const connect = async (
  user: Person,
  app: App,
  scopes: ReadonlyArray<string>,
  choices: Choices
): Promise<TokenResponse> => {
  const secrets = pkce()
  const back = await answerConsent(user.as, authorizeUrl(user.as.baseUrl, app, scopes, secrets), { scopes, ...choices })
  const code = back.searchParams.get("code")
  if (code === null || back.searchParams.get("state") !== secrets.state) throw new Error(`no code in ${back.href}`)
  return exchangeCode(user.as, app, code, secrets.verifier)
}
