import { Effect } from "effect"
import { type Handlers, number } from "./Handlers.js"
import { iso } from "./people.js"

/** The requests of users who pause, resume or limit their apps, or delete their own history. */
export const steering: Handlers<
  | "pauseConnection"
  | "resumeConnection"
  | "pauseAll"
  | "resumeAll"
  | "endExactLocation"
  | "changeConnection"
  | "eraseHistory"
> = {
  pauseConnection: ({ connectionId, length, userId }, { client }) =>
    Effect.as(
      client.send({ person: userId }, "PUT", `/v1/user/connections/${connectionId}/pause`, { json: { for: length } }),
      null
    ),

  resumeConnection: ({ connectionId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/connections/${connectionId}/pause`), null),

  pauseAll: ({ length, userId }, { client }) =>
    Effect.map(client.send({ person: userId }, "PUT", "/v1/user/pause", { json: { for: length } }), (answer) => ({
      connections: number(answer, "connections")
    })),

  resumeAll: ({ userId }, { client }) =>
    Effect.map(client.send({ person: userId }, "DELETE", "/v1/user/pause"), (answer) => ({
      connections: number(answer, "connections")
    })),

  endExactLocation: ({ connectionId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/connections/${connectionId}/exact-location`), null),

  changeConnection: ({ connectionId, scopes, sensitiveDays, standardDays, userId }, { client }) =>
    Effect.as(
      client.send({ person: userId }, "PATCH", `/v1/user/connections/${connectionId}`, {
        json: { scopes, standard_days: standardDays, sensitive_days: sensitiveDays }
      }),
      null
    ),

  eraseHistory: ({ from, until, userId }, { client }) =>
    Effect.as(
      client.send({ person: userId }, "POST", "/v1/user/history/erasures", {
        json: { from: iso(from), until: iso(until) }
      }),
      null
    )
}
