import { Schema } from "effect"

/** An answer with its body. The client does not follow redirects. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined for a body that is not JSON. */
  readonly json: unknown
}

interface Call {
  readonly token?: string
  readonly json?: unknown
  readonly form?: URLSearchParams | Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the API that behaves like a browser: it keeps cookies and sends its origin. */
export interface Client {
  readonly baseUrl: string
  readonly call: (method: string, path: string, options?: Call) => Promise<Answer>
  /** Sends a request as `call` does, but with the given raw bytes as its body. */
  readonly raw: (
    method: string,
    path: string,
    body: string | Buffer,
    headers: Readonly<Record<string, string>>
  ) => Promise<Answer>
  /**
   * Sends a request as `call` does. Fails unless the answer has the given status (by default any 2xx) and a body of the
   * given shape.
   */
  readonly expect: <A, I>(
    method: string,
    path: string,
    options: Call & { readonly status?: number; readonly as: Schema.Schema<A, I> }
  ) => Promise<A>
}

export const client = (baseUrl: string): Client => {
  const jar = new Map<string, string>()
  const send = async (
    method: string,
    path: string,
    given: Readonly<Record<string, string>>,
    body: string | Buffer | URLSearchParams | undefined
  ): Promise<Answer> => {
    const headers = new Headers(given)
    if (method !== "GET" && !headers.has("origin")) headers.set("origin", new URL(baseUrl).origin)
    if (jar.size > 0) headers.set("cookie", Array.from(jar, ([name, value]) => `${name}=${value}`).join("; "))
    const response = await fetch(new URL(path, `${baseUrl}/`), {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body })
    })
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parse(text) }
  }
  const call: Client["call"] = (method, path, { form, headers, json, token } = {}) =>
    send(
      method,
      path,
      {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      form === undefined ? (json === undefined ? undefined : JSON.stringify(json)) : new URLSearchParams(form)
    )
  return {
    baseUrl,
    call,
    raw: (method, path, body, headers) => send(method, path, headers, body),
    expect: async (method, path, { as, status, ...options }) => {
      const answer = await call(method, path, options)
      if (status === undefined ? answer.status < 200 || answer.status > 299 : answer.status !== status) {
        throw new Error(`${method} ${path} answered ${answer.status} instead of ${status ?? "2xx"}: ${answer.text}`)
      }
      return Schema.decodeUnknownSync(as)(answer.json)
    }
  }
}

const keep = (jar: Map<string, string>, cookie: string): void => {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim())
  const cut = pair.indexOf("=")
  const gone = attributes.some((attribute) => /^max-age=0$/i.test(attribute))
  if (gone) jar.delete(pair.slice(0, cut))
  else jar.set(pair.slice(0, cut), pair.slice(cut + 1))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
