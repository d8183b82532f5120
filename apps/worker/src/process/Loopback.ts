/** Whether a host name means this machine. The function looks only at the name, and does not resolve it. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)

/** Whether the host name of a URL means this machine. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname)
