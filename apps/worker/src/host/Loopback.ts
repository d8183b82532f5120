/** Whether a host name means this machine, as far as its name says. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)

/** The same of an address. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname)
