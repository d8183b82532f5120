import { PasswordHasher } from "@place-access/domain/accounts"
import { ConsentStore } from "@place-access/domain/consent"
import { TokenStore } from "@place-access/domain/tokens"
import { Scope, StoreError, Timestamp, Vault } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { Context, Effect, Option } from "effect"
import {
  connected,
  CURRENT,
  DAY,
  decisions,
  found,
  HOUR,
  ME,
  MINUTE,
  SECOND,
  STANDARD,
  withConnection
} from "./connected.js"
import { instead, type Plant } from "./plant.js"

const { Hash } = Vault

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "T1",
    what: "access tokens work after their hour",
    sabotage: found((one, now) => ({ ...one, token: { ...one.token, issuedAt: now } })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* world.advance(HOUR)
        yield* connection.call(ME)
      })
  },
  {
    oracle: "T2",
    what: "credentials are stored in the clear",
    sabotage: (ports) =>
      Context.add(ports, Vault.Vault, {
        ...Context.get(ports, Vault.Vault),
        // `Hash.make` would refuse a text that is no digest, and then no oracle would see the bug. So its check is
        // turned off.
        sha256: (text: string) => Hash.make(text, { disableValidation: true })
      }),
    scenario: (world) => connected(world)
  },
  {
    oracle: "T2",
    what: "passwords are stored in the clear",
    sabotage: (ports) =>
      Context.add(ports, PasswordHasher, {
        ...Context.get(ports, PasswordHasher),
        hash: (password: string) => Effect.succeed(password),
        verify: (stored: string, password: string) => Effect.succeed(stored === password)
      }),
    scenario: (world) => world.user("ana")
  },
  {
    oracle: "T3",
    what: "a refresh leaves the presented token unspent",
    sabotage: decisions(
      (state) => state,
      (writes) => writes.filter(({ _tag }) => _tag !== "Rotate")
    ),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        const { refreshToken } = connection.tokens
        yield* connection.refresh
        yield* connection.present(refreshToken)
      })
  },
  {
    oracle: "T4",
    what: "spent refresh tokens are a race for a minute",
    sabotage: decisions((state) => ({
      ...state,
      chain: state.chain.map((link) => ({
        ...link,
        rotation: link.rotation && { ...link.rotation, at: Timestamp.plus(link.rotation.at, 30 * SECOND) }
      }))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        const { refreshToken } = connection.tokens
        yield* connection.refresh
        yield* world.advance(30 * SECOND)
        yield* connection.present(refreshToken)
        yield* world.advance(1)
        yield* connection.present(refreshToken)
      })
  },
  {
    oracle: "T5",
    what: "tokens from before a reconnection count as live",
    sabotage: decisions((state) => ({
      ...state,
      chain: state.chain.map((link) => ({
        ...link,
        revokedAt: null,
        familyId: state.connection.familyId ?? link.familyId
      }))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { again, connection } = yield* connected(world)
        const renewed = yield* again()
        yield* connection.present(connection.tokens.refreshToken)
        yield* renewed.call(ME)
      })
  },
  {
    oracle: "T6",
    what: "the service forgets that a code was used",
    sabotage: decisions((state) => ({
      ...state,
      code: Option.map(state.code, (code) => ({ ...code, familyId: null, exchange: null }))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, app } = yield* connected(world)
        const { code } = yield* app.consent(ana, { scopes: STANDARD, standardDays: null })
        const set = yield* app.exchange(code)
        yield* world.perform("exchange", { appId: app.id, code, verifier: "right", client: "right" })
        yield* world.perform("call", { appId: app.id, token: set.accessToken, request: ME })
      })
  },
  {
    oracle: "T6",
    what: "a verifier is compared up to the length of the right one",
    sabotage: (ports) => {
      const vault = Context.get(ports, Vault.Vault)
      const cut = (text: string) => text.slice(0, Simulation.VERIFIER.length)
      return Context.add(ports, Vault.Vault, { ...vault, s256: (text: string) => vault.s256(cut(text)) })
    },
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, app } = yield* connected(world)
        const { code } = yield* app.consent(ana, { scopes: STANDARD, standardDays: null })
        const set = yield* app.exchange(code)
        yield* world.perform("exchange", { appId: app.id, code, verifier: "wrong", client: "right" })
        yield* world.perform("call", { appId: app.id, token: set.accessToken, request: ME })
      })
  },
  {
    oracle: "T7",
    what: "a call with a revoked token is answered with 500",
    sabotage: instead(TokenStore, (store) => ({
      findByAccessToken: (id, hash) =>
        Effect.flatMap(store.findByAccessToken(id, hash), (one) =>
          Option.isSome(one) && one.value.token.revokedAt !== null
            ? Effect.fail(new StoreError({ transient: false, cause: "no such row" }))
            : Effect.succeed(one)
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world)
        yield* ana.disconnect(connection)
        yield* connection.call(ME)
      })
  },
  {
    oracle: "T8",
    what: "a revocation is answered with 200, and nothing ends",
    sabotage: decisions(
      (state) => state,
      (writes) => writes.filter((write) => write._tag !== "End" || write.reason !== "app_revoked_token")
    ),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* connection.revoke()
        yield* connection.call(ME)
      })
  },
  {
    oracle: "T9",
    what: "a user who connects again after an end gets another sub",
    sabotage: instead(ConsentStore, (store) => ({
      decideRequest: (id, userId, decide) =>
        store.decideRequest(id, userId, (state, now) => decide({ ...state, sub: Option.none() }, now))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { again, ana, connection } = yield* connected(world)
        yield* ana.disconnect(connection)
        yield* again()
      })
  },
  {
    oracle: "T10",
    what: "old access tokens work after a reconnection",
    sabotage: found((one) => ({
      ...one,
      token: { ...one.token, revokedAt: null, familyId: one.connection.familyId ?? one.token.familyId }
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { again, connection } = yield* connected(world)
        yield* again()
        yield* connection.call(ME)
      })
  },
  {
    oracle: "T11",
    what: "a scope that the app gave up still works",
    sabotage: found((one) => ({ ...one, app: { ...one.app, declaredScopes: Scope.all, allowedScopes: null } })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app, connection } = yield* connected(world)
        yield* world.perform("declareScopes", { appId: app.id, scopes: ["location.visits.read"] })
        yield* connection.call(CURRENT)
        yield* connection.call(ME)
      })
  },
  {
    oracle: "T11",
    what: "a token may use every scope that its app declares, granted or not",
    sabotage: found((one) => withConnection(one, { heldScopes: one.app.declaredScopes })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { granted: ["location.visits.read"] })
        yield* connection.call(CURRENT)
      })
  },
  {
    oracle: "T12",
    what: "the token answer has no end date for a grant that has one",
    sabotage: decisions((state, now) => {
      const { standardExpiresAt } = state.connection
      const isLive = standardExpiresAt !== null && now < standardExpiresAt
      return isLive ? withConnection(state, { standardExpiresAt: null }) : state
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { standardDays: 7 })
        yield* connection.call(ME)
        yield* world.advance(DAY + MINUTE)
        yield* connection.refresh
      })
  }
]
