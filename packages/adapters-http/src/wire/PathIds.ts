import { Schema } from "effect"

// The ids of path parameters. Any text is accepted, so that a malformed id gets 404, like an unknown id, and not 400.

export const ConnectionIdText = Schema.String.pipe(Schema.brand("ConnectionId"))
export const ConsentRequestIdText = Schema.String.pipe(Schema.brand("ConsentRequestId"))
export const RuleIdText = Schema.String.pipe(Schema.brand("RuleId"))
