import { Schema } from "effect"

/** Unknown app or wrong secret; never told apart. Wire: 401 `invalid_client`. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {}) {}
