/** The fields that the service adds to every error body, beside the specification's fields (decision wire-4). */
export interface ErrorHelp {
  /**
   * The id of the request, as in the header `X-Request-Id` and in the server's log. Left out for `invalid_token`: a
   * missing, malformed, expired or revoked token gets the same body (decisions §5).
   */
  readonly request_id?: string
  /** The page that says what the code means and what to do. */
  readonly doc_url: string
}

const INVALID_TOKEN = "invalid_token"

export const of = (code: string, requestId: string, { baseUrl }: { readonly baseUrl: string }): ErrorHelp => ({
  ...(code === INVALID_TOKEN ? {} : { request_id: requestId }),
  doc_url: `${baseUrl}/docs/errors/${code}`
})
