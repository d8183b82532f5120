import type { ServiceOptions } from "@place-access/adapters-http/HttpOptions"

/** The options of a service at `url`, with the differences that a test names. */
export const optionsAt = (url: string, more: Partial<ServiceOptions> = {}): ServiceOptions => ({
  baseUrl: url,
  authUrl: url,
  userPortalUrl: `${url}/portal`,
  signUp: "open",
  addressRule: "assumed",
  trustProxy: false,
  rateLimitPerMinute: 600,
  tileUrl: null,
  hasMailbox: false,
  version: "test",
  ...more
})
