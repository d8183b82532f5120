/**
 * The functions of the environment that the client calls. By default the client calls the global functions. Tests
 * replace some of them.
 */
export interface ClientRuntime {
  readonly fetch: typeof globalThis.fetch
  /** The present time in milliseconds since 1970. */
  readonly now: () => number
  /** A random number from 0 to 1, like `Math.random`. */
  readonly random: () => number
  /** Waits. Fails with the reason of the signal when the signal aborts. */
  readonly sleep: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

export const runtimeOf = (given: Partial<ClientRuntime>): ClientRuntime => ({
  // `fetch` is looked up at each call, because a page may replace it later. In a browser, `fetch` throws unless it is
  // called as a method of `globalThis`.
  fetch: given.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  // @effect-diagnostics-next-line globalDate:off -- the client does not use Effect
  now: given.now ?? (() => Date.now()),
  // @effect-diagnostics-next-line globalRandom:off -- only spreads retries
  random: given.random ?? (() => Math.random()),
  sleep: given.sleep ?? sleep
})

const sleep: ClientRuntime["sleep"] = (millis, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    // @effect-diagnostics-next-line globalTimers:off -- the client does not use Effect
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }, millis)
    signal?.addEventListener("abort", abort, { once: true })
  })

/**
 * The outcome of `work`, or the signal's reason if the signal aborts first. `work` itself is not stopped, because other
 * calls may wait for it.
 */
export const orAborted = <A>(work: Promise<A>, signal: AbortSignal | undefined): Promise<A> => {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
    // After an abort, these handlers still take the outcome of `work`. Without them, a later failure of `work` would be
    // an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
