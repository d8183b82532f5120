import { Context, type Option } from "effect"
import type { AppId, StoreEffect, UserId } from "../shared/index.js"
import type { TestAccount } from "./TestPerson.js"

/**
 * Stores the accounts of test people. The places, phones and other rows of a test person are in the same stores as
 * those of a user, and `AccountDeletionStore` deletes the account.
 */
export class TestPersonStore extends Context.Tag("@place-access/domain/test-people/TestPersonStore")<
  TestPersonStore,
  {
    /**
     * Stores the account, without a password, under a lock of its app. `full`: the app already has
     * `AccountLimits.TEST_PEOPLE.most` test people. `unavailable`: the app is in production, was revoked, or does not
     * exist.
     */
    readonly create: (account: TestAccount) => StoreEffect<"created" | "full" | "unavailable">
    /** The app's test people, oldest first, then by id. */
    readonly list: (appId: AppId) => StoreEffect<ReadonlyArray<TestAccount>>
    /** A test person of the app. None when the app has no test person with this id. */
    readonly find: (appId: AppId, id: UserId) => StoreEffect<Option.Option<TestAccount>>
    /** Up to `limit` test people whose app is in production, was revoked, or does not exist. */
    readonly listStray: (limit: number) => StoreEffect<ReadonlyArray<UserId>>
  }
>() {}
