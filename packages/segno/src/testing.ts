// segno/testing: an engine in memory whose time the test controls, scripted agents, and crashes on demand.

import "@segno/contract/node-version";

export {
  fail,
  hang,
  openTestEngine,
  pass,
  script,
  succeed,
  TestEngine,
  type Duration,
  type FailOptions,
  type RecordedCall,
  type Response,
  type ResponseOptions,
  type Script,
  type TestEngineOptions,
} from "@segno/engine/testing";
