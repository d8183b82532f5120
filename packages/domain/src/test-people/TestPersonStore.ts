import { Context, type Option } from "effect"
import type { AppId, StoreEffect, UserId } from "../shared/index.js"
import type { TestAccount } from "./TestPerson.js"

/**
 * The accounts of test people. Test people have rows like other people; `AccountDeletionStore` deletes their accounts.
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
    /** None when the app has no such test person. */
    readonly find: (appId: AppId, id: UserId) => StoreEffect<Option.Option<TestAccount>>
    /** Up to `limit` test people whose app is in production, revoked, or gone. */
    readonly listStray: (limit: number) => StoreEffect<ReadonlyArray<UserId>>
  }
>() {}
