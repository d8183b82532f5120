import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PlaceRef } from "../answers/AnswersApi.js"
import { Reason } from "../answers/Paused.js"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { At, NullableAt, paging, QueryAt, request } from "../wire/Fields.js"

const optional = { exact: true } as const

const Query = request({
  from: Schema.optionalWith(QueryAt, optional).annotations({ description: "The earliest arrival, inclusive" }),
  to: Schema.optionalWith(QueryAt, optional).annotations({ description: "The latest arrival, exclusive" }),
  ...paging(100, 500)
})

/** A visit as the app reads it (Spec §2.5). */
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
        "Stops at other places are left out. A visit can appear later, when a phone that was offline uploads its readings. While the service still processes a large upload, `complete` is false: the answer has only the final visits. Ask again later for the others. A cursor works only with the same connection, `from` and `to`."
      )
      .setUrlParams(Query)
      .addSuccess(
        Schema.Struct({
          visits: Schema.Array(Visit).annotations({ description: "The visits of this page, newest first" }),
          nextCursor: Schema.NullOr(Schema.String),
          complete: Schema.Boolean.annotations({
            description:
              "False while the service still derives visits from uploaded readings. Visits that are not final yet are left out: ask again later"
          }),
          ...Reason
        })
      )
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Visits")
  .annotate(OpenApi.Description, "The user's visits to the places that they share")
