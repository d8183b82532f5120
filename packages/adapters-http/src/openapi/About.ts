/** The description of the whole service at the head of the OpenAPI document, in CommonMark. */
export const ABOUT = `With the user's approval, an app asks where the user is or has been. Answers name places that the user
shares with the app. Only the scopes of the sensitive tier disclose coordinates.

- **Access tokens** are for an app's servers: OAuth 2.1 with PKCE, one token for one user's approval of one app. Each
  operation names the scope that it needs.
- **Sessions** are for people with a browser: developers (\`/v1/developer/…\`), users (\`/v1/user/…\`), reviewers and
  admins (\`/v1/admin/…\`).
- **Device tokens** are for the phones of users (\`/v1/phone/…\`).

Times are ISO 8601 in UTC with milliseconds. Ids are opaque. The service ignores unknown fields of a request; answers
may gain new fields. A POST whose parameters include \`Idempotency-Key\` can be repeated safely with this header. Every
answer carries \`X-Request-Id\`. Every error has \`statusCode\`, \`error\`, \`message\` and \`doc_url\`; all but
\`invalid_token\` have \`request_id\`, and some have further fields.

A guide for people is at \`/docs\` of this server.`
