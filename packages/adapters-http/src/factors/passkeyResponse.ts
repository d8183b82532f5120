import { Factors, type PasskeyResponse } from "@place-access/domain/factors"
import { UserId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"

/** The longest response that is read, in characters. Responses without an attestation are shorter. */
const LONGEST = 20_000

const Response = Schema.parseJson(
  Schema.Struct({
    id: Factors.PasskeyId,
    response: Schema.Struct({
      clientDataJSON: Schema.String,
      userHandle: Schema.optional(Schema.NullOr(Schema.String))
    })
  })
)

const ClientData = Schema.parseJson(Schema.Struct({ challenge: Schema.String.pipe(Schema.maxLength(200)) }))

const text = (base64url: string): string => Buffer.from(base64url, "base64url").toString("utf8")

/**
 * Reads the authenticator's response that the script of a page posted. Returns none when the text does not have the
 * form of a response or is longer than `LONGEST`. This function does not verify the response.
 */
export const read = (json: string): Option.Option<PasskeyResponse> =>
  json.length > LONGEST
    ? Option.none()
    : Option.flatMap(Schema.decodeUnknownOption(Response)(json), ({ id, response }) =>
        Option.map(
          Schema.decodeUnknownOption(ClientData)(text(response.clientDataJSON)),
          ({ challenge }): PasskeyResponse => ({
            id,
            challenge,
            owner: Option.getOrNull(Schema.decodeUnknownOption(UserId)(text(response.userHandle ?? ""))),
            json
          })
        )
      )
