import { expect } from "vitest"
import { client } from "./client.js"
import type { Letter } from "./mailServer.js"
import type { Person } from "./people.js"
import { until } from "./until.js"

/** The secret of the link in an e-mail, whose lines the mail library has folded and quoted. */
export const tokenIn = ({ raw }: Letter): string | undefined =>
  /token=([0-9a-z]{52})/.exec(raw.replace(/=\r?\n/g, "").replace(/=3D/g, "="))?.[1]

/**
 * Signs a person up, and confirms the address with the link in the e-mail that the mail server received (decision
 * accounts-12).
 */
export const signUpByMail = async (
  baseUrl: string,
  mail: { readonly letters: ReadonlyArray<Letter> }
): Promise<Person> => {
  const as = client(baseUrl)
  const email = "mail@example.test"
  const password = "correct horse battery staple"
  expect((await as.call("POST", "/v1/accounts", { json: { email, password } })).status).toBe(202)
  expect((await as.call("POST", "/v1/session", { json: { email, password } })).status).toBe(401)
  const token = await until("the link", () => mail.letters.flatMap((letter) => tokenIn(letter) ?? [])[0])
  const made = await as.call("POST", "/v1/accounts/confirmations/use", { json: { token, password } })
  expect(made.status).toBe(201)
  expect((await as.call("POST", "/v1/session", { json: { email, password } })).status).toBe(201)
  return { email, password, id: (made.json as { readonly id: string }).id, as }
}
