/** The host's function, taken before a test replaces it by a fake. */
const { setImmediate } = globalThis

/** Lets the test runner send and receive messages. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
