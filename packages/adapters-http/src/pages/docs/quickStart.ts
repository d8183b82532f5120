import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { isHttps, type ServiceOptions } from "../../HttpOptions.js"
import { html, type Html, nothing, type Value } from "../../html/Html.js"
import { code, DOCS, page, type Section } from "./frame.js"
import { prose } from "./prose.js"

/**
 * The folder of this package. It is found by the package's name, because in production this module is part of a bundle
 * in another folder.
 */
const PACKAGE = dirname(createRequire(import.meta.url).resolve("@place-access/adapters-http/package.json"))

/**
 * The text of the page comes from docs/quick-start.md. The page leaves out the part before the first section and the
 * last section ("Next"), because these parts are for readers of the repository.
 */
const TEXT = readFileSync(join(PACKAGE, "../../docs/quick-start.md"), "utf8")

/** The address of the server in the text, which the page replaces. */
const LOCAL = "http://localhost:8080"

export const pages = (options: ServiceOptions) => [
  page(`${DOCS}/quick-start`, () => ({
    title: "Quick start",
    about: "From an account to a verified webhook, with curl and node",
    lead: html`From an account to a webhook that you have verified yourself, with nothing but <code>curl</code> and
      <code>node</code>. Paste the blocks one after the other into one shell (bash or zsh).`,
    above: before(options),
    sections: steps(options),
    content: NEXT
  }))
]

const NEXT = html`<h2>Next</h2>
  <p>
    Your access log lists every request and what the app learned: <code>as_me "$SERVICE/v1/user/access-log"</code>. In
    your own code, <a href="${DOCS}/webhooks#verify">verify with a library</a>.
  </p>
  <ul>
    <li><a href="${DOCS}/authorization">What users can allow, and for how long</a></li>
    <li><a href="${DOCS}/webhooks">Every event, with examples</a></li>
    <li><a href="${DOCS}/errors">When something goes wrong</a></li>
    <li><a href="${DOCS}/reference">Everything that can be called</a></li>
  </ul>`

const before = (options: ServiceOptions): Html => html`<div class="note">${account(options)} ${reach(options)}</div>`

/**
 * Explains which account the steps use. The steps create an account with an address at example.com. That does not work
 * on a server where only admins create accounts, or where the person must open a mailed link to create the account.
 */
const account = (options: ServiceOptions): Value => {
  if (options.signUp === "open" && options.addressRule === "assumed") return nothing
  const whose =
    options.signUp === "closed"
      ? html`Admins of this server create the accounts: leave the call of <code>/v1/accounts</code> out, and put the
          e-mail and the password that you were given into the line above it.`
      : html`This server creates an account when its owner opens a mailed link.
          <a href="/sign-up">Create an account</a> with your own address and open the link. Then leave the call of
          <code>/v1/accounts</code> out, and put your e-mail and your password into the line above it.`
  return html`<p>${whose}</p>
    <p>
      If your account has a second factor, the call of <code>/v1/session</code> also needs <code>code</code>, a one-time
      code or a recovery code.
    </p>`
}

/**
 * Explains how the server reaches the reader's machine. The page assumes that a server with https does not run with
 * `ALLOW_INSECURE_WEBHOOKS`, which is for development.
 */
const reach = (options: ServiceOptions): Value =>
  isHttps(options)
    ? html`<p>
        The service posts webhooks to public https addresses only. Before you begin, set <code>APP_URL</code> to one
        that leads to port 9000 of your machine, such as that of a tunnel: <code>export APP_URL=https://…</code>
      </p>`
    : html`<p>
        Your app will listen on <code>127.0.0.1:9000</code>. A server that runs on the same machine calls it there if it
        was started with <code>ALLOW_INSECURE_WEBHOOKS=true</code>; any other needs a public https address of yours in
        <code>APP_URL</code>, such as that of a tunnel.
      </p>`

const steps = ({ authUrl, baseUrl }: ServiceOptions): ReadonlyArray<Section> =>
  TEXT.replaceAll(LOCAL, baseUrl)
    .replaceAll("$SERVICE/authorize?", authUrl === baseUrl ? "$SERVICE/authorize?" : `${authUrl}/authorize?`)
    .split(/^## /m)
    .slice(1, -1)
    .map((step, index) => {
      const [name = "", ...lines] = step.split("\n")
      return { id: `step-${index + 1}`, name, content: blocks(lines.join("\n")) }
    })

const blocks = (step: string): ReadonlyArray<Value> =>
  step.split(/^```bash\n([\s\S]*?)^```$/m).map((part, index) => (index % 2 === 1 ? code(part) : prose(part)))
