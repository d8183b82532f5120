import type { Person, World } from "./World.js"

interface Message {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A developer's machine that reads a stream of events. */
export interface Listening {
  readonly status: number
  readonly headers: Headers
  /** The raw text of the stream so far. */
  readonly text: () => string
  readonly messages: () => ReadonlyArray<Message>
  /** Waits until `count` messages of a kind have arrived, and returns them. */
  readonly until: (event: string, count?: number) => Promise<ReadonlyArray<Message["data"]>>
  /** Waits until the stream brings further text. */
  readonly more: () => Promise<void>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  readonly hangUp: () => void
}

/** Opens the stream of an app's events. If the server refuses, the stream has ended and its text is the error. */
export const listenTo = async (
  world: Pick<World, "url">,
  person: Person,
  appId: string,
  body: object = {},
  origin = world.url
): Promise<Listening> => {
  const abort = new AbortController()
  const response = await fetch(`${world.url}/v1/developer/apps/${appId}/listen`, {
    method: "POST",
    headers: { cookie: person.cookie, origin, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: abort.signal
  })
  let text = ""
  const waiting = new Set<() => void>()
  const ring = () => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  let over = false
  const ended = (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        ring()
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      over = true
      ring()
    }
  })()
  const messages = () =>
    text.split("\n\n").flatMap((part): ReadonlyArray<Message> => {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? []
      return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as Message["data"] }]
    })
  const something = () => new Promise<void>((resolve) => void waiting.add(resolve))
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    messages,
    until: async (event, count = 1) => {
      for (;;) {
        const found = messages().filter((message) => message.event === event)
        if (found.length >= count) return found.map(({ data }) => data)
        if (over) throw new Error(`the stream ended without ${count} of ${event}: ${text}`)
        await something()
      }
    },
    more: something,
    ended,
    hangUp: () => abort.abort()
  }
}
