/**
 * Where the tokens of one connection are kept. A refresh token works once: two parts of an app that refresh with the
 * same one, more than 30 seconds apart, end the connection, because the service takes the second for a thief. So
 * everything that uses the tokens of a connection shares one store, and the store's lock makes them refresh one at a
 * time.
 */
export interface ClientTokenStore {
  /** Null when there are none. */
  readonly read: () => Promise<StoredTokens | null>
  /** Replaces the tokens. Null removes them. */
  readonly write: (tokens: StoredTokens | null) => Promise<void>
  /** Runs `work` while nobody else that shares the store runs any, in this process or another. */
  readonly locked: <A>(work: () => Promise<A>) => Promise<A>
}

/** JSON. With it one can ask about the user, so keep it like a password. */
export interface StoredTokens {
  readonly access_token: string
  readonly refresh_token: string
  /** When the access token ends, in milliseconds since 1970. */
  readonly expires_at: number
  readonly scope: string
  readonly sub: string
  /** When a refresh was begun whose answer has not been stored, in milliseconds since 1970. */
  readonly refreshing_since?: number
}

/** For one process, and only while it runs. */
export const memoryTokenStore = (tokens: StoredTokens | null = null): ClientTokenStore => {
  let kept = tokens
  let last: Promise<unknown> = Promise.resolve()
  return {
    read: () => Promise.resolve(kept),
    write: (tokens) => {
      kept = tokens
      return Promise.resolve()
    },
    locked: (work) => {
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      return turn
    }
  }
}

/** The parts of a browser that its store needs. */
export interface BrowserParts {
  readonly localStorage: {
    readonly getItem: (key: string) => string | null
    readonly setItem: (key: string, value: string) => void
    readonly removeItem: (key: string) => void
  }
  /** Web Locks. */
  readonly navigator: {
    readonly locks?: {
      readonly request: <A>(name: string, work: () => Promise<A>) => Promise<A>
    }
  }
}

/**
 * For a page: `localStorage`, and a Web Lock that all tabs of the origin share. Scripts of the page can read the
 * tokens. A page that did not come over https has no Web Locks, and the store says so at once.
 */
export const browserTokenStore = (
  name = "place-access",
  parts: BrowserParts = globalThis as unknown as BrowserParts
): ClientTokenStore => {
  const locks = parts.navigator.locks
  if (locks === undefined) throw new Error("There are no Web Locks here. Pages have them over https only.")
  return {
    read: () => Promise.resolve(parseTokens(parts.localStorage.getItem(name))),
    write: (tokens) => {
      if (tokens === null) parts.localStorage.removeItem(name)
      else parts.localStorage.setItem(name, JSON.stringify(tokens))
      return Promise.resolve()
    },
    locked: (work) => locks.request(`${name}:tokens`, work)
  }
}

/** The tokens of a text that `JSON.stringify` made of them; null for any other text. */
export const parseTokens = (text: string | null): StoredTokens | null => {
  if (text === null) return null
  try {
    const parsed = JSON.parse(text) as StoredTokens | null
    return typeof parsed?.refresh_token === "string" && typeof parsed.access_token === "string" ? parsed : null
  } catch {
    return null
  }
}
