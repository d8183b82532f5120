import { EndpointHeader } from "@place-access/domain/endpoints"
import { Vault } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The extra headers of an endpoint, as jsonb stores them: names, and encrypted values. */
export const Headers = Schema.Array(Schema.Struct({ name: EndpointHeader.HeaderName, sealed: Vault.Sealed }))

export const toHeaders = (headers: ReadonlyArray<EndpointHeader.EndpointHeader>): string =>
  Rows.json(headers.map(({ name, sealed }) => ({ name, sealed })))
