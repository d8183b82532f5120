/** As it was before any test put a clock of its own in its place. */
const { setImmediate } = globalThis

/** Lets the runner hear from us in between. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
