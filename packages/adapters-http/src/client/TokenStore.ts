/**
 * Keeps the tokens of one connection. A refresh token works once. When two parts of an app refresh with the same token
 * more than 30 seconds apart, the service treats the second refresh as a theft and ends the connection. So all parts of
 * an app that use the tokens of a connection share one store. The store's lock lets only one part refresh at a time.
 */
export interface ClientTokenStore {
  /** Null when there are no tokens. */
  readonly read: () => Promise<StoredTokens | null>
  /** Replaces the tokens. Null removes them. */
  readonly write: (tokens: StoredTokens | null) => Promise<void>
  /** Runs `work` under the store's lock. Other parts of the app that share the store wait until `work` has ended. */
  readonly locked: <A>(work: () => Promise<A>) => Promise<A>
}

/** The tokens as JSON. They give access to the user's data, so protect them like a password. */
export interface StoredTokens {
  readonly access_token: string
  readonly refresh_token: string
  /** When the access token expires, in milliseconds since 1970. */
  readonly expires_at: number
  readonly scope: string
  readonly sub: string
  /**
   * When the client began a refresh whose answer it has not stored, in milliseconds since 1970. Left out when no
   * refresh is waiting for its answer.
   */
  readonly refreshing_since?: number
}

/** Keeps the tokens in the memory of one process, until the process ends. */
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

/** The parts of a browser that `browserTokenStore` needs. */
export interface BrowserParts {
  readonly indexedDB: { readonly open: (name: string, version: number) => DatabaseRequest<Database> }
  /** The browser's Web Locks. They are missing on a page that is neither on https nor on localhost. */
  readonly navigator: {
    readonly locks?: {
      readonly request: <A>(name: string, work: () => Promise<A>) => Promise<A>
    }
  }
}

interface Notifies {
  readonly error: unknown
  readonly addEventListener: (type: string, listener: () => void) => void
}

interface DatabaseRequest<A> extends Notifies {
  readonly result: A
}

interface Database {
  readonly createObjectStore: (name: string) => unknown
  readonly close: () => void
  readonly transaction: (
    name: string,
    mode: "readonly" | "readwrite"
  ) => Notifies & { readonly objectStore: (name: string) => Kept }
}

interface Kept {
  readonly get: (key: string) => DatabaseRequest<unknown>
  readonly put: (value: unknown, key: string) => unknown
  readonly delete: (key: string) => unknown
}

/** The name of the object store in IndexedDB, and the key of the store's only row. */
const TOKENS = "tokens"

/**
 * A store for web pages: it keeps the tokens in IndexedDB, and its lock is a Web Lock, which all tabs of the origin
 * share. Scripts of the page can read the tokens. A page that is neither on https nor on localhost has no Web Locks, so
 * on such a page the function throws.
 *
 * `localStorage` is not safe enough: after another tab has written new tokens, a tab may still read the old ones, and
 * refresh with a refresh token that was already used.
 */
export const browserTokenStore = (
  name = "place-access",
  parts: BrowserParts = globalThis as unknown as BrowserParts
): ClientTokenStore => {
  const locks = parts.navigator.locks
  if (locks === undefined) throw new Error("There are no Web Locks here. Pages have them over https only.")
  const withDatabase = async <A>(use: (database: Database) => Promise<A>): Promise<A> => {
    const opening = parts.indexedDB.open(name, 1)
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(TOKENS))
    const database = await answerOf(opening)
    try {
      return await use(database)
    } finally {
      database.close()
    }
  }
  return {
    read: () =>
      withDatabase(async (database) =>
        tokensOf(await answerOf(database.transaction(TOKENS, "readonly").objectStore(TOKENS).get(TOKENS)))
      ),
    write: (tokens) =>
      withDatabase((database) => {
        const transaction = database.transaction(TOKENS, "readwrite")
        const kept = transaction.objectStore(TOKENS)
        if (tokens === null) kept.delete(TOKENS)
        else kept.put(tokens, TOKENS)
        return new Promise((resolve, reject) => {
          transaction.addEventListener("complete", () => resolve())
          transaction.addEventListener("abort", () => reject(transaction.error))
        })
      }),
    locked: (work) => locks.request(`${name}:tokens`, work)
  }
}

const answerOf = <A>(request: DatabaseRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error))
  })

/** Reads the tokens from their JSON text; null for any other text. */
export const parseTokens = (text: string | null): StoredTokens | null => {
  if (text === null) return null
  try {
    return tokensOf(JSON.parse(text))
  } catch {
    return null
  }
}

const tokensOf = (value: unknown): StoredTokens | null => {
  const tokens = value as StoredTokens | null | undefined
  return typeof tokens?.refresh_token === "string" && typeof tokens.access_token === "string" ? tokens : null
}
