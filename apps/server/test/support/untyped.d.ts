/** Types for libraries that have none. They declare only what the tests use. */

declare module "simple-oauth2" {
  interface Http {
    readonly json?: boolean | "strict" | "force"
  }
  export interface Token {
    readonly access_token: string
    readonly refresh_token: string
    readonly token_type: string
    readonly scope: string
    readonly [field: string]: unknown
  }
  export class AccessToken {
    readonly token: Token
    expired(windowSeconds?: number): boolean
    refresh(parameters?: Readonly<Record<string, string>>): Promise<AccessToken>
    revoke(kind: "access_token" | "refresh_token", http?: Http): Promise<unknown>
    revokeAll(http?: Http): Promise<void>
  }
  export class AuthorizationCode {
    constructor(options: {
      readonly client: { readonly id: string; readonly secret: string }
      readonly auth: {
        readonly tokenHost: string
        readonly authorizePath: string
        readonly tokenPath: string
        readonly revokePath: string
      }
      readonly options: { readonly bodyFormat: "form" | "json"; readonly authorizationMethod: "header" | "body" }
    })
    authorizeURL(parameters: Readonly<Record<string, string>>): string
    getToken(parameters: Readonly<Record<string, string>>): Promise<AccessToken>
  }
}

declare module "passport-oauth2" {
  export interface Request {
    readonly query: Readonly<Record<string, string>>
    readonly session: Record<string, unknown>
  }
  interface Done {
    (error: unknown, user?: unknown): void
  }
  type Refreshed = (
    error: { readonly statusCode: number; readonly data: string } | null,
    accessToken: string,
    refreshToken: string,
    fields: Readonly<Record<string, unknown>>
  ) => void
  export default class OAuth2Strategy {
    constructor(
      options: {
        readonly authorizationURL: string
        readonly tokenURL: string
        readonly clientID: string
        readonly clientSecret: string
        readonly callbackURL: string
        readonly scope: ReadonlyArray<string>
        readonly state: true
        readonly pkce: true
      },
      verify: (
        accessToken: string,
        refreshToken: string,
        fields: Readonly<Record<string, unknown>>,
        profile: unknown,
        done: Done
      ) => void
    )
    authenticate(request: Request): void
    /** Passport sets the methods below before each request. */
    redirect: (url: string) => void
    success: (user: unknown) => void
    fail: (challenge: unknown) => void
    error: (cause: unknown) => void
    /** The part of Passport's class with which the strategies read profiles and refresh tokens. */
    readonly _oauth2: {
      useAuthorizationHeaderforGET(use: boolean): void
      get(url: string, accessToken: string, done: (error: unknown, body: string) => void): void
      getOAuthAccessToken(
        codeOrRefreshToken: string,
        parameters: { readonly grant_type: "refresh_token" },
        done: Refreshed
      ): void
    }
  }
}
