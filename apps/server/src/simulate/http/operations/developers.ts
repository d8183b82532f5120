import { RedirectUri } from "@place-access/domain/apps"
import { Effect } from "effect"
import { RefusedRequest } from "../Client.js"
import { type Handlers, list, number, numberOrNull, ownerOf, text } from "./Handlers.js"
import { iso } from "./people.js"

const NOTE = "So it was decided in the simulation"

const pathOf = (appId: string): string => `/v1/developer/apps/${appId}`
const hookOf = (appId: string, endpointId: string): string => `${pathOf(appId)}/webhooks/${endpointId}`

/** The requests of developers who manage their apps in the portal. */
export const developers: Handlers<
  | "createApp"
  | "registerRedirectUris"
  | "declareScopes"
  | "createPurpose"
  | "editPurpose"
  | "submitPurpose"
  | "archivePurpose"
  | "submitApp"
  | "createEndpoint"
  | "editEndpoint"
  | "removeEndpoint"
  | "rotateSecret"
  | "testEndpoint"
  | "redeliver"
  | "retryNow"
  | "recover"
> = {
  createApp: ({ scopes, userId }, { client, registry }) =>
    Effect.gen(function* () {
      const owner = registry.accounts.get(userId)
      if (owner === undefined) return yield* Effect.fail(new RefusedRequest(404, "not_found", {}))
      const json = {
        name: `App ${registry.next("app")}`,
        description: "An app of the simulation, which asks about places",
        scopes
      }
      const appId = text(yield* client.send({ person: userId }, "POST", "/v1/developer/apps", { json }), "id")
      const redirectUri = RedirectUri.RedirectUri.make(`https://app${registry.apps.size + 1}.example/callback`)
      registry.apps.set(appId, { owner, redirectUri, clientSecret: undefined })
      return { appId }
    }),

  registerRedirectUris: ({ appId, redirectUris }, outside) =>
    Effect.gen(function* () {
      const { client, registry } = outside
      const known = registry.apps.get(appId)
      if (known === undefined) return yield* Effect.fail(new RefusedRequest(404, "not_found", {}))
      const answer = yield* client.send(ownerOf(outside, appId), "POST", `/v1/oauth/clients/${appId}`, {
        json: { redirectUris }
      })
      const clientSecret = registry.secrets.alias("client-secret", text(answer, "clientSecret"))
      const redirectUri = RedirectUri.RedirectUri.make(redirectUris[0] ?? known.redirectUri)
      registry.apps.set(appId, { ...known, redirectUri, clientSecret })
      return { clientSecret }
    }),

  declareScopes: ({ appId, scopes }, outside) =>
    Effect.as(outside.client.send(ownerOf(outside, appId), "PATCH", pathOf(appId), { json: { scopes } }), null),

  createPurpose: ({ appId, description, expectedDailyVolume, key, scopes }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/purposes`, {
        json: { key, description, scopes, expected_daily_volume: expectedDailyVolume }
      }),
      (answer) => ({ purposeId: text(answer, "id") })
    ),

  editPurpose: ({ appId, description, expectedDailyVolume, purposeId, scopes }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "PATCH", `${pathOf(appId)}/purposes/${purposeId}`, {
        json: { description, scopes, expected_daily_volume: expectedDailyVolume }
      }),
      (answer) => ({ status: text(answer, "status") })
    ),

  submitPurpose: ({ appId, purposeId }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/purposes/${purposeId}/submit`),
      (answer) => ({ status: text(answer, "status") })
    ),

  archivePurpose: ({ appId, purposeId }, outside) =>
    Effect.as(outside.client.send(ownerOf(outside, appId), "DELETE", `${pathOf(appId)}/purposes/${purposeId}`), null),

  submitApp: ({ appId }, outside) =>
    Effect.as(outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/submit`), null),

  createEndpoint: ({ appId, events, url }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/webhooks`, { json: { url, events } }),
      (answer) => ({
        endpointId: text(answer, "id"),
        secret: outside.registry.secrets.alias("signing-secret", text(answer, "secret"))
      })
    ),

  editEndpoint: ({ appId, enabled, endpointId, events, url }, outside) =>
    Effect.as(
      outside.client.send(ownerOf(outside, appId), "PATCH", hookOf(appId, endpointId), {
        json: { url, events, enabled }
      }),
      null
    ),

  removeEndpoint: ({ appId, endpointId }, outside) =>
    Effect.as(outside.client.send(ownerOf(outside, appId), "DELETE", hookOf(appId, endpointId)), null),

  rotateSecret: ({ appId, endpointId }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${hookOf(appId, endpointId)}/rotate-secret`),
      (answer) => ({ secret: outside.registry.secrets.alias("signing-secret", text(answer, "secret")) })
    ),

  testEndpoint: ({ appId, endpointId }, outside) =>
    Effect.map(outside.client.send(ownerOf(outside, appId), "POST", `${hookOf(appId, endpointId)}/test`), (answer) => ({
      delivered: answer.body["delivered"] === true,
      status: numberOrNull(answer, "status")
    })),

  redeliver: ({ appId, deliveryId }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/deliveries/${deliveryId}/redeliver`),
      (answer) => ({ deliveryId: text(answer, "id") })
    ),

  retryNow: ({ appId, deliveryId }, outside) =>
    Effect.as(
      outside.client.send(ownerOf(outside, appId), "POST", `${pathOf(appId)}/deliveries/${deliveryId}/retry-now`),
      null
    ),

  recover: ({ appId, endpointId, since }, outside) =>
    Effect.map(
      outside.client.send(ownerOf(outside, appId), "POST", `${hookOf(appId, endpointId)}/recover`, {
        json: { since: iso(since) }
      }),
      (answer) => ({ queued: number(answer, "queued") })
    )
}

const staff = ({ registry }: Parameters<typeof ownerOf>[0]) => ({ person: registry.staff?.id ?? "nobody" })

/** The requests of reviewers and admins. */
export const reviewers: Handlers<"decidePurpose" | "decideApp" | "narrowApp" | "revokeApp" | "readFlags"> = {
  decidePurpose: ({ decision, purposeId }, outside) =>
    Effect.as(
      outside.client.send(staff(outside), "POST", `/v1/admin/purposes/${purposeId}/decision`, {
        json: { decision, note: NOTE }
      }),
      null
    ),

  decideApp: ({ appId, decision }, outside) =>
    Effect.as(
      outside.client.send(staff(outside), "POST", `/v1/admin/apps/${appId}/decision`, {
        json: { decision, note: NOTE }
      }),
      null
    ),

  narrowApp: ({ appId, scopes }, outside) =>
    Effect.as(
      outside.client.send(staff(outside), "PATCH", `/v1/admin/apps/${appId}`, { json: { allowed_scopes: scopes } }),
      null
    ),

  revokeApp: ({ appId }, outside) =>
    Effect.as(
      outside.client.send(staff(outside), "POST", `/v1/admin/apps/${appId}/revoke`, { json: { reason: NOTE } }),
      null
    ),

  readFlags: (_, outside) =>
    Effect.gen(function* () {
      const flags = []
      let cursor: unknown
      do {
        const page = yield* outside.client.send(staff(outside), "GET", "/v1/admin/flags", {
          query: { limit: 200, cursor: typeof cursor === "string" ? cursor : null }
        })
        for (const flag of list(page, "flags")) {
          flags.push({
            appId: String(flag["app_id"]),
            connectionId: String(flag["connection_id"]),
            purpose: String(flag["purpose"]),
            flaggedAt: Number(flag["to"]),
            calls: Number(flag["calls"])
          })
        }
        cursor = page.body["nextCursor"]
      } while (typeof cursor === "string")
      return { flags }
    })
}
