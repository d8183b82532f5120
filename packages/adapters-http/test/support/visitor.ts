import { type Answer, call } from "./wire.js"

/** A browser without a window: it keeps cookies, sends Origin and fills in forms, but follows no redirect. */
export interface Visitor {
  readonly cookies: Map<string, string>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** Posts the fields and no hidden fields. `headers` may change the header Origin, or remove it with undefined. */
  readonly post: (
    path: string,
    fields: Fields,
    headers?: Readonly<Record<string, string | undefined>>
  ) => Promise<Answer>
  /** Posts the form of `page` whose address is `action`, with the form's hidden fields and `fields`. */
  readonly submit: (page: Answer, action: string, fields?: Fields) => Promise<Answer>
}

type Fields = Readonly<Record<string, string | ReadonlyArray<string>>>

export const visitor = (url: string, origin = url): Visitor => {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit, headers: Readonly<Record<string, string | undefined>>) => {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const all = Object.entries({ accept: "text/html", ...(cookie === "" ? {} : { cookie }), ...headers })
    const answer = await call(url + path, {
      ...init,
      headers: all.filter((pair): pair is [string, string] => pair[1] !== undefined)
    })
    for (const text of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = text.split("; ")
      const cut = pair.indexOf("=")
      if (attributes.includes("Max-Age=0")) cookies.delete(pair.slice(0, cut))
      else cookies.set(pair.slice(0, cut), pair.slice(cut + 1))
    }
    return answer
  }
  const post: Visitor["post"] = (path, fields, headers) =>
    send(
      path,
      {
        method: "POST",
        body: new URLSearchParams(
          Object.entries(fields).flatMap(([name, value]) =>
            (typeof value === "string" ? [value] : value).map((one): [string, string] => [name, one])
          )
        )
      },
      { origin, ...headers }
    )
  return {
    cookies,
    get: (path, headers = {}) => send(path, {}, headers),
    post,
    submit: (page, action, fields) => post(action, { ...hidden(page, action), ...fields })
  }
}

/** The hidden fields of the form that is posted to `action`. */
export const hidden = (page: Answer, action: string): Record<string, string> => {
  const form = (page.text.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find((text) => text.includes(`action="${action}"`))
  if (form === undefined) throw new Error(`no form posts to ${action}:\n${page.text}`)
  const inputs = form.match(/<input\b[^>]*type="hidden"[^>]*>/g) ?? []
  return Object.fromEntries(inputs.map((tag) => [attribute(tag, "name"), attribute(tag, "value")]))
}

const attribute = (tag: string, name: string): string =>
  unescape(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "")

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

const unescape = (text: string): string => text.replace(/&(#?\w+);/g, (all, name: string) => CHARACTERS[name] ?? all)
