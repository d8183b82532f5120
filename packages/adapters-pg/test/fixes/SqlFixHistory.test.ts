import { SqlFixHistory } from "@place-access/adapters-pg"
import { fixHistoryContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContract("SqlFixHistory", fixHistoryContract, Layer.merge(UploadStores, SqlFixHistory.layer))
