import { Context, type Option } from "effect"
import type { ConnectionDecision, WithApp, Write } from "../connection/ConnectionStore.js"
import type { ConnectionId, FamilyId, StoreEffect, Timestamp, Vault } from "../shared/index.js"
import type { AuthorizationCode } from "./AuthorizationCode.js"
import type { AccessToken, RefreshToken, Rotation } from "./TokenFamily.js"

/** The hashes of the credentials that a client presented. */
export interface Presented {
  readonly code?: Vault.Hash
  readonly refresh?: Vault.Hash
  readonly access?: Vault.Hash
}

/**
 * The state that a decision about credentials reads. The state does not change before the decision's writes are
 * committed.
 */
export interface Locked extends WithApp {
  /** The presented code, if it belongs to this connection. */
  readonly code: Option.Option<AuthorizationCode>
  /**
   * The presented refresh token, and the tokens after it, ordered by issue; empty if the token does not belong to this
   * connection. The tokens after it are left out when the presented token was spent longer ago than `RACE_WINDOW`,
   * because no decision reads them in this case, and a chain can have any length. When a code is presented too, this
   * limit is `CLOCK_SKEW` longer: the exchange may be repeated until `RACE_WINDOW` after the exchange, but the time at
   * which the token was spent may come from a server whose clock was behind.
   */
  readonly chain: ReadonlyArray<RefreshToken>
  /** The presented access token, if it belongs to this connection. */
  readonly access: Option.Option<AccessToken>
}

/** One change to a connection or its tokens. A decision returns a list of changes, which the store commits together. */
export type TokenWrite =
  | Write
  | {
      readonly _tag: "UseCode"
      readonly hash: Vault.Hash
      readonly familyId: FamilyId
      readonly exchange: Rotation | null
    }
  /**
   * Marks the unspent refresh tokens and the live access tokens of all families of the connection as revoked. Spent and
   * expired tokens stay as they are, because there may be very many, and nothing accepts a token whose family is not
   * the present family of the connection (decision O6).
   */
  | { readonly _tag: "RevokeTokens" }
  /** Marks the unspent refresh token and the live access tokens of one family as revoked. */
  | { readonly _tag: "RevokeFamily"; readonly familyId: FamilyId }
  | { readonly _tag: "StartFamily"; readonly familyId: FamilyId }
  | { readonly _tag: "IssueAccess"; readonly token: AccessToken }
  | { readonly _tag: "IssueRefresh"; readonly token: RefreshToken }
  | { readonly _tag: "Rotate"; readonly hash: Vault.Hash; readonly rotation: Rotation }

/** The codes and tokens of connections. */
export class TokenStore extends Context.Tag("@place-access/domain/tokens/TokenStore")<
  TokenStore,
  {
    /**
     * Finds a token and its connection in one query. It finds also expired and revoked tokens and ended connections,
     * because the access log names the connection of a refused call. None when there is no such token.
     */
    readonly findByAccessToken: (
      id: ConnectionId,
      hash: Vault.Hash
    ) => StoreEffect<Option.Option<WithApp & { readonly token: AccessToken }>>

    /**
     * Reads the presented credentials and then the clock, calls `decide` and commits the writes that `decide` returned.
     * The result is as if no other change of the connection ran at the same time (decision O8). None when there is no
     * such connection.
     *
     * `decide` is a plain function. A store may call `decide` again when something changed between the store's first
     * read and its write (decision tokens-4). The result of the last call counts.
     */
    readonly change: <A>(
      id: ConnectionId,
      presented: Presented,
      decide: (state: Locked, now: Timestamp.Timestamp) => ConnectionDecision<A, TokenWrite>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
