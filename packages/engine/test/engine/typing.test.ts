// Type checks at scale: a chain of 200 steps, written out, in which each knows the one before it.

import { describe, expect, expectTypeOf, it } from "vitest";
import { workflow, type BuiltWorkflow, type Engine } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const chain = workflow<{ readonly from: number }>("chain")
  .step("s1", (_, { input }) => input.from + 1)
  .step("s2", { dependsOn: ["s1"] }, ({ s1 }) => s1 + 1)
  .step("s3", { dependsOn: ["s2"] }, ({ s2 }) => s2 + 1)
  .step("s4", { dependsOn: ["s3"] }, ({ s3 }) => s3 + 1)
  .step("s5", { dependsOn: ["s4"] }, ({ s4 }) => s4 + 1)
  .step("s6", { dependsOn: ["s5"] }, ({ s5 }) => s5 + 1)
  .step("s7", { dependsOn: ["s6"] }, ({ s6 }) => s6 + 1)
  .step("s8", { dependsOn: ["s7"] }, ({ s7 }) => s7 + 1)
  .step("s9", { dependsOn: ["s8"] }, ({ s8 }) => s8 + 1)
  .step("s10", { dependsOn: ["s9"] }, ({ s9 }) => s9 + 1)
  .step("s11", { dependsOn: ["s10"] }, ({ s10 }) => s10 + 1)
  .step("s12", { dependsOn: ["s11"] }, ({ s11 }) => s11 + 1)
  .step("s13", { dependsOn: ["s12"] }, ({ s12 }) => s12 + 1)
  .step("s14", { dependsOn: ["s13"] }, ({ s13 }) => s13 + 1)
  .step("s15", { dependsOn: ["s14"] }, ({ s14 }) => s14 + 1)
  .step("s16", { dependsOn: ["s15"] }, ({ s15 }) => s15 + 1)
  .step("s17", { dependsOn: ["s16"] }, ({ s16 }) => s16 + 1)
  .step("s18", { dependsOn: ["s17"] }, ({ s17 }) => s17 + 1)
  .step("s19", { dependsOn: ["s18"] }, ({ s18 }) => s18 + 1)
  .step("s20", { dependsOn: ["s19"] }, ({ s19 }) => s19 + 1)
  .step("s21", { dependsOn: ["s20"] }, ({ s20 }) => s20 + 1)
  .step("s22", { dependsOn: ["s21"] }, ({ s21 }) => s21 + 1)
  .step("s23", { dependsOn: ["s22"] }, ({ s22 }) => s22 + 1)
  .step("s24", { dependsOn: ["s23"] }, ({ s23 }) => s23 + 1)
  .step("s25", { dependsOn: ["s24"] }, ({ s24 }) => s24 + 1)
  .step("s26", { dependsOn: ["s25"] }, ({ s25 }) => s25 + 1)
  .step("s27", { dependsOn: ["s26"] }, ({ s26 }) => s26 + 1)
  .step("s28", { dependsOn: ["s27"] }, ({ s27 }) => s27 + 1)
  .step("s29", { dependsOn: ["s28"] }, ({ s28 }) => s28 + 1)
  .step("s30", { dependsOn: ["s29"] }, ({ s29 }) => s29 + 1)
  .step("s31", { dependsOn: ["s30"] }, ({ s30 }) => s30 + 1)
  .step("s32", { dependsOn: ["s31"] }, ({ s31 }) => s31 + 1)
  .step("s33", { dependsOn: ["s32"] }, ({ s32 }) => s32 + 1)
  .step("s34", { dependsOn: ["s33"] }, ({ s33 }) => s33 + 1)
  .step("s35", { dependsOn: ["s34"] }, ({ s34 }) => s34 + 1)
  .step("s36", { dependsOn: ["s35"] }, ({ s35 }) => s35 + 1)
  .step("s37", { dependsOn: ["s36"] }, ({ s36 }) => s36 + 1)
  .step("s38", { dependsOn: ["s37"] }, ({ s37 }) => s37 + 1)
  .step("s39", { dependsOn: ["s38"] }, ({ s38 }) => s38 + 1)
  .step("s40", { dependsOn: ["s39"] }, ({ s39 }) => s39 + 1)
  .step("s41", { dependsOn: ["s40"] }, ({ s40 }) => s40 + 1)
  .step("s42", { dependsOn: ["s41"] }, ({ s41 }) => s41 + 1)
  .step("s43", { dependsOn: ["s42"] }, ({ s42 }) => s42 + 1)
  .step("s44", { dependsOn: ["s43"] }, ({ s43 }) => s43 + 1)
  .step("s45", { dependsOn: ["s44"] }, ({ s44 }) => s44 + 1)
  .step("s46", { dependsOn: ["s45"] }, ({ s45 }) => s45 + 1)
  .step("s47", { dependsOn: ["s46"] }, ({ s46 }) => s46 + 1)
  .step("s48", { dependsOn: ["s47"] }, ({ s47 }) => s47 + 1)
  .step("s49", { dependsOn: ["s48"] }, ({ s48 }) => s48 + 1)
  .step("s50", { dependsOn: ["s49"] }, ({ s49 }) => s49 + 1)
  .step("s51", { dependsOn: ["s50"] }, ({ s50 }) => s50 + 1)
  .step("s52", { dependsOn: ["s51"] }, ({ s51 }) => s51 + 1)
  .step("s53", { dependsOn: ["s52"] }, ({ s52 }) => s52 + 1)
  .step("s54", { dependsOn: ["s53"] }, ({ s53 }) => s53 + 1)
  .step("s55", { dependsOn: ["s54"] }, ({ s54 }) => s54 + 1)
  .step("s56", { dependsOn: ["s55"] }, ({ s55 }) => s55 + 1)
  .step("s57", { dependsOn: ["s56"] }, ({ s56 }) => s56 + 1)
  .step("s58", { dependsOn: ["s57"] }, ({ s57 }) => s57 + 1)
  .step("s59", { dependsOn: ["s58"] }, ({ s58 }) => s58 + 1)
  .step("s60", { dependsOn: ["s59"] }, ({ s59 }) => s59 + 1)
  .step("s61", { dependsOn: ["s60"] }, ({ s60 }) => s60 + 1)
  .step("s62", { dependsOn: ["s61"] }, ({ s61 }) => s61 + 1)
  .step("s63", { dependsOn: ["s62"] }, ({ s62 }) => s62 + 1)
  .step("s64", { dependsOn: ["s63"] }, ({ s63 }) => s63 + 1)
  .step("s65", { dependsOn: ["s64"] }, ({ s64 }) => s64 + 1)
  .step("s66", { dependsOn: ["s65"] }, ({ s65 }) => s65 + 1)
  .step("s67", { dependsOn: ["s66"] }, ({ s66 }) => s66 + 1)
  .step("s68", { dependsOn: ["s67"] }, ({ s67 }) => s67 + 1)
  .step("s69", { dependsOn: ["s68"] }, ({ s68 }) => s68 + 1)
  .step("s70", { dependsOn: ["s69"] }, ({ s69 }) => s69 + 1)
  .step("s71", { dependsOn: ["s70"] }, ({ s70 }) => s70 + 1)
  .step("s72", { dependsOn: ["s71"] }, ({ s71 }) => s71 + 1)
  .step("s73", { dependsOn: ["s72"] }, ({ s72 }) => s72 + 1)
  .step("s74", { dependsOn: ["s73"] }, ({ s73 }) => s73 + 1)
  .step("s75", { dependsOn: ["s74"] }, ({ s74 }) => s74 + 1)
  .step("s76", { dependsOn: ["s75"] }, ({ s75 }) => s75 + 1)
  .step("s77", { dependsOn: ["s76"] }, ({ s76 }) => s76 + 1)
  .step("s78", { dependsOn: ["s77"] }, ({ s77 }) => s77 + 1)
  .step("s79", { dependsOn: ["s78"] }, ({ s78 }) => s78 + 1)
  .step("s80", { dependsOn: ["s79"] }, ({ s79 }) => s79 + 1)
  .step("s81", { dependsOn: ["s80"] }, ({ s80 }) => s80 + 1)
  .step("s82", { dependsOn: ["s81"] }, ({ s81 }) => s81 + 1)
  .step("s83", { dependsOn: ["s82"] }, ({ s82 }) => s82 + 1)
  .step("s84", { dependsOn: ["s83"] }, ({ s83 }) => s83 + 1)
  .step("s85", { dependsOn: ["s84"] }, ({ s84 }) => s84 + 1)
  .step("s86", { dependsOn: ["s85"] }, ({ s85 }) => s85 + 1)
  .step("s87", { dependsOn: ["s86"] }, ({ s86 }) => s86 + 1)
  .step("s88", { dependsOn: ["s87"] }, ({ s87 }) => s87 + 1)
  .step("s89", { dependsOn: ["s88"] }, ({ s88 }) => s88 + 1)
  .step("s90", { dependsOn: ["s89"] }, ({ s89 }) => s89 + 1)
  .step("s91", { dependsOn: ["s90"] }, ({ s90 }) => s90 + 1)
  .step("s92", { dependsOn: ["s91"] }, ({ s91 }) => s91 + 1)
  .step("s93", { dependsOn: ["s92"] }, ({ s92 }) => s92 + 1)
  .step("s94", { dependsOn: ["s93"] }, ({ s93 }) => s93 + 1)
  .step("s95", { dependsOn: ["s94"] }, ({ s94 }) => s94 + 1)
  .step("s96", { dependsOn: ["s95"] }, ({ s95 }) => s95 + 1)
  .step("s97", { dependsOn: ["s96"] }, ({ s96 }) => s96 + 1)
  .step("s98", { dependsOn: ["s97"] }, ({ s97 }) => s97 + 1)
  .step("s99", { dependsOn: ["s98"] }, ({ s98 }) => s98 + 1)
  .step("s100", { dependsOn: ["s99"] }, ({ s99 }) => s99 + 1)
  .step("s101", { dependsOn: ["s100"] }, ({ s100 }) => s100 + 1)
  .step("s102", { dependsOn: ["s101"] }, ({ s101 }) => s101 + 1)
  .step("s103", { dependsOn: ["s102"] }, ({ s102 }) => s102 + 1)
  .step("s104", { dependsOn: ["s103"] }, ({ s103 }) => s103 + 1)
  .step("s105", { dependsOn: ["s104"] }, ({ s104 }) => s104 + 1)
  .step("s106", { dependsOn: ["s105"] }, ({ s105 }) => s105 + 1)
  .step("s107", { dependsOn: ["s106"] }, ({ s106 }) => s106 + 1)
  .step("s108", { dependsOn: ["s107"] }, ({ s107 }) => s107 + 1)
  .step("s109", { dependsOn: ["s108"] }, ({ s108 }) => s108 + 1)
  .step("s110", { dependsOn: ["s109"] }, ({ s109 }) => s109 + 1)
  .step("s111", { dependsOn: ["s110"] }, ({ s110 }) => s110 + 1)
  .step("s112", { dependsOn: ["s111"] }, ({ s111 }) => s111 + 1)
  .step("s113", { dependsOn: ["s112"] }, ({ s112 }) => s112 + 1)
  .step("s114", { dependsOn: ["s113"] }, ({ s113 }) => s113 + 1)
  .step("s115", { dependsOn: ["s114"] }, ({ s114 }) => s114 + 1)
  .step("s116", { dependsOn: ["s115"] }, ({ s115 }) => s115 + 1)
  .step("s117", { dependsOn: ["s116"] }, ({ s116 }) => s116 + 1)
  .step("s118", { dependsOn: ["s117"] }, ({ s117 }) => s117 + 1)
  .step("s119", { dependsOn: ["s118"] }, ({ s118 }) => s118 + 1)
  .step("s120", { dependsOn: ["s119"] }, ({ s119 }) => s119 + 1)
  .step("s121", { dependsOn: ["s120"] }, ({ s120 }) => s120 + 1)
  .step("s122", { dependsOn: ["s121"] }, ({ s121 }) => s121 + 1)
  .step("s123", { dependsOn: ["s122"] }, ({ s122 }) => s122 + 1)
  .step("s124", { dependsOn: ["s123"] }, ({ s123 }) => s123 + 1)
  .step("s125", { dependsOn: ["s124"] }, ({ s124 }) => s124 + 1)
  .step("s126", { dependsOn: ["s125"] }, ({ s125 }) => s125 + 1)
  .step("s127", { dependsOn: ["s126"] }, ({ s126 }) => s126 + 1)
  .step("s128", { dependsOn: ["s127"] }, ({ s127 }) => s127 + 1)
  .step("s129", { dependsOn: ["s128"] }, ({ s128 }) => s128 + 1)
  .step("s130", { dependsOn: ["s129"] }, ({ s129 }) => s129 + 1)
  .step("s131", { dependsOn: ["s130"] }, ({ s130 }) => s130 + 1)
  .step("s132", { dependsOn: ["s131"] }, ({ s131 }) => s131 + 1)
  .step("s133", { dependsOn: ["s132"] }, ({ s132 }) => s132 + 1)
  .step("s134", { dependsOn: ["s133"] }, ({ s133 }) => s133 + 1)
  .step("s135", { dependsOn: ["s134"] }, ({ s134 }) => s134 + 1)
  .step("s136", { dependsOn: ["s135"] }, ({ s135 }) => s135 + 1)
  .step("s137", { dependsOn: ["s136"] }, ({ s136 }) => s136 + 1)
  .step("s138", { dependsOn: ["s137"] }, ({ s137 }) => s137 + 1)
  .step("s139", { dependsOn: ["s138"] }, ({ s138 }) => s138 + 1)
  .step("s140", { dependsOn: ["s139"] }, ({ s139 }) => s139 + 1)
  .step("s141", { dependsOn: ["s140"] }, ({ s140 }) => s140 + 1)
  .step("s142", { dependsOn: ["s141"] }, ({ s141 }) => s141 + 1)
  .step("s143", { dependsOn: ["s142"] }, ({ s142 }) => s142 + 1)
  .step("s144", { dependsOn: ["s143"] }, ({ s143 }) => s143 + 1)
  .step("s145", { dependsOn: ["s144"] }, ({ s144 }) => s144 + 1)
  .step("s146", { dependsOn: ["s145"] }, ({ s145 }) => s145 + 1)
  .step("s147", { dependsOn: ["s146"] }, ({ s146 }) => s146 + 1)
  .step("s148", { dependsOn: ["s147"] }, ({ s147 }) => s147 + 1)
  .step("s149", { dependsOn: ["s148"] }, ({ s148 }) => s148 + 1)
  .step("s150", { dependsOn: ["s149"] }, ({ s149 }) => s149 + 1)
  .step("s151", { dependsOn: ["s150"] }, ({ s150 }) => s150 + 1)
  .step("s152", { dependsOn: ["s151"] }, ({ s151 }) => s151 + 1)
  .step("s153", { dependsOn: ["s152"] }, ({ s152 }) => s152 + 1)
  .step("s154", { dependsOn: ["s153"] }, ({ s153 }) => s153 + 1)
  .step("s155", { dependsOn: ["s154"] }, ({ s154 }) => s154 + 1)
  .step("s156", { dependsOn: ["s155"] }, ({ s155 }) => s155 + 1)
  .step("s157", { dependsOn: ["s156"] }, ({ s156 }) => s156 + 1)
  .step("s158", { dependsOn: ["s157"] }, ({ s157 }) => s157 + 1)
  .step("s159", { dependsOn: ["s158"] }, ({ s158 }) => s158 + 1)
  .step("s160", { dependsOn: ["s159"] }, ({ s159 }) => s159 + 1)
  .step("s161", { dependsOn: ["s160"] }, ({ s160 }) => s160 + 1)
  .step("s162", { dependsOn: ["s161"] }, ({ s161 }) => s161 + 1)
  .step("s163", { dependsOn: ["s162"] }, ({ s162 }) => s162 + 1)
  .step("s164", { dependsOn: ["s163"] }, ({ s163 }) => s163 + 1)
  .step("s165", { dependsOn: ["s164"] }, ({ s164 }) => s164 + 1)
  .step("s166", { dependsOn: ["s165"] }, ({ s165 }) => s165 + 1)
  .step("s167", { dependsOn: ["s166"] }, ({ s166 }) => s166 + 1)
  .step("s168", { dependsOn: ["s167"] }, ({ s167 }) => s167 + 1)
  .step("s169", { dependsOn: ["s168"] }, ({ s168 }) => s168 + 1)
  .step("s170", { dependsOn: ["s169"] }, ({ s169 }) => s169 + 1)
  .step("s171", { dependsOn: ["s170"] }, ({ s170 }) => s170 + 1)
  .step("s172", { dependsOn: ["s171"] }, ({ s171 }) => s171 + 1)
  .step("s173", { dependsOn: ["s172"] }, ({ s172 }) => s172 + 1)
  .step("s174", { dependsOn: ["s173"] }, ({ s173 }) => s173 + 1)
  .step("s175", { dependsOn: ["s174"] }, ({ s174 }) => s174 + 1)
  .step("s176", { dependsOn: ["s175"] }, ({ s175 }) => s175 + 1)
  .step("s177", { dependsOn: ["s176"] }, ({ s176 }) => s176 + 1)
  .step("s178", { dependsOn: ["s177"] }, ({ s177 }) => s177 + 1)
  .step("s179", { dependsOn: ["s178"] }, ({ s178 }) => s178 + 1)
  .step("s180", { dependsOn: ["s179"] }, ({ s179 }) => s179 + 1)
  .step("s181", { dependsOn: ["s180"] }, ({ s180 }) => s180 + 1)
  .step("s182", { dependsOn: ["s181"] }, ({ s181 }) => s181 + 1)
  .step("s183", { dependsOn: ["s182"] }, ({ s182 }) => s182 + 1)
  .step("s184", { dependsOn: ["s183"] }, ({ s183 }) => s183 + 1)
  .step("s185", { dependsOn: ["s184"] }, ({ s184 }) => s184 + 1)
  .step("s186", { dependsOn: ["s185"] }, ({ s185 }) => s185 + 1)
  .step("s187", { dependsOn: ["s186"] }, ({ s186 }) => s186 + 1)
  .step("s188", { dependsOn: ["s187"] }, ({ s187 }) => s187 + 1)
  .step("s189", { dependsOn: ["s188"] }, ({ s188 }) => s188 + 1)
  .step("s190", { dependsOn: ["s189"] }, ({ s189 }) => s189 + 1)
  .step("s191", { dependsOn: ["s190"] }, ({ s190 }) => s190 + 1)
  .step("s192", { dependsOn: ["s191"] }, ({ s191 }) => s191 + 1)
  .step("s193", { dependsOn: ["s192"] }, ({ s192 }) => s192 + 1)
  .step("s194", { dependsOn: ["s193"] }, ({ s193 }) => s193 + 1)
  .step("s195", { dependsOn: ["s194"] }, ({ s194 }) => s194 + 1)
  .step("s196", { dependsOn: ["s195"] }, ({ s195 }) => s195 + 1)
  .step("s197", { dependsOn: ["s196"] }, ({ s196 }) => s196 + 1)
  .step("s198", { dependsOn: ["s197"] }, ({ s197 }) => s197 + 1)
  .step("s199", { dependsOn: ["s198"] }, ({ s198 }) => s198 + 1)
  .step("s200", { dependsOn: ["s199"] }, ({ s199 }) => s199 + 1);

describe("a chain of 200 steps", () => {
  it("CONTRACT-1 has the types of its outputs at its far end, and runs", async () => {
    const built = chain.output(({ s1, s200 }) => [s1, s200] as const);
    expectTypeOf<NonNullable<typeof built.types>["output"]>().toEqualTypeOf<readonly [number, number]>();
    await using test = await openTestEngine();
    expect(await (await test.start(built, { from: 0 })).result()).toEqual([1, 200]);
  });

  it("GRAPH-6 refuses at its far end what it refuses at its beginning", () => {
    // @ts-expect-error -- there is no step `s201`
    chain.step("last", { dependsOn: ["s201"] }, () => 1);
    // @ts-expect-error -- `s199` is not among the dependencies
    chain.step("last", { dependsOn: ["s200"] }, ({ s199 }) => s199);
    // @ts-expect-error -- the output of `s200` is a number
    chain.step("last", { dependsOn: ["s200"] }, ({ s200 }) => s200.length);
    // @ts-expect-error -- the id is taken
    chain.step("s100", () => 1);
    expect(chain.definition.steps).toHaveLength(200);
  });
});

describe("the types of a start", () => {
  const built: BuiltWorkflow<{ readonly from: number }, { readonly to: number }> = workflow<{ readonly from: number }>(
    "typed",
  )
    .step("add", (_, { input }) => ({ to: input.from + 1 }))
    .output(({ add }) => add);

  it("CONTRACT-1 want the input that the workflow wants, and give its output", async () => {
    await using test = await openTestEngine();
    const { engine }: { readonly engine: Engine } = test;
    const result = await (await engine.start(built, { from: 1 })).result();
    expectTypeOf(result).toEqualTypeOf<{ readonly to: number }>();
    expect(result).toEqual({ to: 2 });
    const refused = (): readonly Promise<unknown>[] => [
      // @ts-expect-error -- the input has another type
      engine.start(built, { from: "one" }),
      // @ts-expect-error -- the input is missing
      engine.start(built),
      // @ts-expect-error -- there is no such option
      engine.start(built, { from: 1 }, { idempotencykey: "order-7" }),
    ];
    expect(refused).toBeTypeOf("function");
  });
});
