import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PlaceRef } from "../answers/AnswersApi.js"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { At, NullableAt, paging, QueryAt, request } from "../wire/Fields.js"

const optional = { exact: true } as const

const Query = request({
  from: Schema.optionalWith(QueryAt, optional).annotations({ description: "The earliest arrival, inclusive" }),
  to: Schema.optionalWith(QueryAt, optional).annotations({ description: "The latest arrival, exclusive" }),
  ...paging(100, 500)
})

/** Spec §2.5. */
const Visit = Schema.Struct({
  arrival: At,
  departure: NullableAt.annotations({ description: "Null while the visit is open" }),
  place: PlaceRef
}).annotations({ identifier: "Visit" })

export const VisitsApi = HttpApiGroup.make("visits")
  .add(
    HttpApiEndpoint.get("list", "/v1/visits")
      .annotate(RequiredScope, "location.visits.read")
      .annotate(OpenApi.Summary, "Visits to the places that the user shares, newest first")
      .annotate(
        OpenApi.Description,
        "Stops elsewhere are left out. History can gain visits later, when a phone that was offline uploads what it kept. While a large upload is still worked on, `complete` is false: the answer has the visits that are final, and more come when you ask again."
      )
      .setUrlParams(Query)
      .addSuccess(
        Schema.Struct({
          visits: Schema.Array(Visit),
          nextCursor: Schema.NullOr(Schema.String),
          complete: Schema.Boolean.annotations({
            description:
              "False while visits are still derived from what phones uploaded. Visits that are not final yet are left out: ask again later"
          })
        })
      )
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Visits")
  .annotate(OpenApi.Description, "When the user was at the places that they share")
