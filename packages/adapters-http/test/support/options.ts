import type { Options } from "@place-access/adapters-http/HttpOptions"

/** The options of a service at `url`, with what a test says differently. */
export const optionsAt = (url: string, more: Partial<Options> = {}): Options => ({
  baseUrl: url,
  authUrl: url,
  userPortalUrl: `${url}/portal`,
  signUp: "open",
  trustProxy: false,
  rateLimitPerMinute: 600,
  tileUrl: null,
  hasMailbox: false,
  version: "test",
  ...more
})
