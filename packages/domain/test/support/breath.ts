/** The host's `setImmediate`, stored here before a test replaces it by a fake function. */
const { setImmediate } = globalThis

/** Pauses, so that the test runner can send and receive messages. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
