/** Lets the runner hear from us in between. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
