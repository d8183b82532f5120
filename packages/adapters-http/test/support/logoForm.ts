import { hidden, type Visitor } from "./visitor.js"
import { type Answer, call } from "./wire.js"

/**
 * Sends the form for an app's logo that `page` shows. `path`: the address of the form. `png`: the picture in base64.
 */
export const sendLogo = (url: string, browser: Visitor, page: Answer, path: string, png: string): Promise<Answer> => {
  const body = new FormData()
  for (const [name, value] of Object.entries(hidden(page, path))) body.set(name, value)
  body.set("logo", new Blob([Buffer.from(png, "base64")], { type: "image/png" }), "logo.png")
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join("; ")
  return call(url + path, { method: "POST", body, headers: { cookie, origin: url } })
}
