import type { App } from "@place-access/domain/apps"
import { type Visitor, visitor } from "./visitor.js"
import { PASSWORD, type World } from "./World.js"

/** A browser that signed in through the page, as people do. */
export const signedIn = async (world: World, email: string): Promise<Visitor> => {
  const browser = visitor(world.url)
  const page = await browser.get("/sign-in")
  const answer = await browser.submit(page, "/sign-in", { email, password: PASSWORD })
  if (answer.status !== 303) throw new Error(`signing in was answered ${answer.status}`)
  return browser
}

/** The path to which an app sends its user for consent. */
export const authorizePath = (app: App.App, more: Readonly<Record<string, string>> = {}) =>
  `/authorize?${new URLSearchParams({
    client_id: app.id,
    redirect_uri: app.redirectUris[0] ?? "",
    scope: "location.rules.place",
    code_challenge: "A".repeat(43),
    code_challenge_method: "S256",
    state: "state-of-the-app",
    ...more
  }).toString()}`

/** The address to which the form of the consent page is posted. */
export const consentAction = (text: string): string => /action="(\/authorize\/[^"]+)"/.exec(text)?.[1] ?? ""

/** The links in a page's list of problems that lead to no element of the page. */
export const deadLinks = (text: string): ReadonlyArray<string> => {
  const list = /<div class="problems"[\s\S]*?<\/div>/.exec(text)?.[0]
  if (list === undefined) throw new Error(`no list of problems:\n${text}`)
  const ids = [...list.matchAll(/href="#([^"]*)"/g)].map(([, id = ""]) => id)
  return ids.filter((id) => !text.includes(` id="${id}"`))
}
