import { beforeEach } from "vitest"
import { breath } from "./breath.js"

/**
 * Vitest ends a worker that sends no message for a minute. On a busy machine, thousands of properties one after the
 * other leave no time for messages. So each test begins with a pause in which messages are sent.
 */
beforeEach(breath)
