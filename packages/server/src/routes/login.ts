// The session of a browser: a one-time code becomes a cookie (HTTP-7).

import { SegnoError } from "@segno/kernel";
import { z } from "zod";

import { readCookie, SESSION_COOKIE, sessionCookie } from "../http/cookie.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const login: ApiRoute = ownRoute({
  method: "GET",
  path: "/login",
  scope: "public",
  summary: "Log in with the code of a login link. The code works once.",
  query: z.strictObject({ code: z.string().max(200) }),
  answers: { 303: { description: "The browser has a session, and goes to the page of the server." } },
  handle: async ({ query: { code }, header }, { access: { sessions } }) => {
    const id = sessions.logIn(code);
    if (id === undefined) throw new SegnoError("LOGIN_CODE_INVALID", "the code is unknown, used or expired");
    const cookie = sessionCookie(id, header("x-forwarded-proto"));
    return {
      kind: "empty",
      status: 303,
      headers: { Location: "/", "Set-Cookie": cookie, "Cache-Control": "no-store" },
    };
  },
});

/** Public, because the cookie itself says which session ends; a page of another origin cannot make a browser send it. */
const logout: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/logout",
  scope: "public",
  summary: "End the session of the browser.",
  body: z.strictObject({}),
  answers: { 204: { description: "There is no session any more." } },
  handle: async ({ header }, { access: { sessions } }) => {
    const id = readCookie(header("cookie"), SESSION_COOKIE);
    if (id !== undefined) sessions.logOut(id);
    return { kind: "empty", status: 204, headers: { "Set-Cookie": sessionCookie("", header("x-forwarded-proto")) } };
  },
});

export const LOGIN_ROUTES: readonly ApiRoute[] = [login, logout];
