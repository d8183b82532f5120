/** Whether a host name names this machine. It looks at the name only and resolves nothing. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)

/** `isLoopback` of a URL's host name. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname)
