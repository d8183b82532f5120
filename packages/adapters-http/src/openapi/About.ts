/** What the document says about the service as a whole. CommonMark. */
export const ABOUT = `Apps ask where a user is or has been, with the user's approval, and about the places that the user shares with them; not about coordinates, except with the scopes of the sensitive tier.

- **Access tokens** are for an app's servers: OAuth 2.1 with PKCE, one token for one user's approval of one app. Each operation names the scope that it needs.
- **Sessions** are for people with a browser: developers (\`/v1/developer/…\`), users (\`/v1/user/…\`), reviewers and admins (\`/v1/admin/…\`).
- **Device tokens** are for the phones of users (\`/v1/phone/…\`).

Times are ISO 8601 in UTC with milliseconds. Ids are opaque. Unknown fields of a request are ignored; new fields may appear in answers. A POST that makes something can be repeated safely with \`Idempotency-Key\`. Every answer carries \`X-Request-Id\`. Every error is \`{ statusCode, error, message }\`, and some have fields beside.

A guide for people is at \`/docs\` of this server.`
