// Type checks at scale: a chain of 200 steps, written out, in which each knows the one before it.

import { describe, expect, expectTypeOf, it } from "vitest";
import { workflow, type BuiltWorkflow, type Engine } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const chain = workflow<{ readonly from: number }>("chain")
  .step("s1", ({ input }) => input.from + 1)
  .step("s2", { dependsOn: ["s1"] }, ({ outputs }) => outputs.s1 + 1)
  .step("s3", { dependsOn: ["s2"] }, ({ outputs }) => outputs.s2 + 1)
  .step("s4", { dependsOn: ["s3"] }, ({ outputs }) => outputs.s3 + 1)
  .step("s5", { dependsOn: ["s4"] }, ({ outputs }) => outputs.s4 + 1)
  .step("s6", { dependsOn: ["s5"] }, ({ outputs }) => outputs.s5 + 1)
  .step("s7", { dependsOn: ["s6"] }, ({ outputs }) => outputs.s6 + 1)
  .step("s8", { dependsOn: ["s7"] }, ({ outputs }) => outputs.s7 + 1)
  .step("s9", { dependsOn: ["s8"] }, ({ outputs }) => outputs.s8 + 1)
  .step("s10", { dependsOn: ["s9"] }, ({ outputs }) => outputs.s9 + 1)
  .step("s11", { dependsOn: ["s10"] }, ({ outputs }) => outputs.s10 + 1)
  .step("s12", { dependsOn: ["s11"] }, ({ outputs }) => outputs.s11 + 1)
  .step("s13", { dependsOn: ["s12"] }, ({ outputs }) => outputs.s12 + 1)
  .step("s14", { dependsOn: ["s13"] }, ({ outputs }) => outputs.s13 + 1)
  .step("s15", { dependsOn: ["s14"] }, ({ outputs }) => outputs.s14 + 1)
  .step("s16", { dependsOn: ["s15"] }, ({ outputs }) => outputs.s15 + 1)
  .step("s17", { dependsOn: ["s16"] }, ({ outputs }) => outputs.s16 + 1)
  .step("s18", { dependsOn: ["s17"] }, ({ outputs }) => outputs.s17 + 1)
  .step("s19", { dependsOn: ["s18"] }, ({ outputs }) => outputs.s18 + 1)
  .step("s20", { dependsOn: ["s19"] }, ({ outputs }) => outputs.s19 + 1)
  .step("s21", { dependsOn: ["s20"] }, ({ outputs }) => outputs.s20 + 1)
  .step("s22", { dependsOn: ["s21"] }, ({ outputs }) => outputs.s21 + 1)
  .step("s23", { dependsOn: ["s22"] }, ({ outputs }) => outputs.s22 + 1)
  .step("s24", { dependsOn: ["s23"] }, ({ outputs }) => outputs.s23 + 1)
  .step("s25", { dependsOn: ["s24"] }, ({ outputs }) => outputs.s24 + 1)
  .step("s26", { dependsOn: ["s25"] }, ({ outputs }) => outputs.s25 + 1)
  .step("s27", { dependsOn: ["s26"] }, ({ outputs }) => outputs.s26 + 1)
  .step("s28", { dependsOn: ["s27"] }, ({ outputs }) => outputs.s27 + 1)
  .step("s29", { dependsOn: ["s28"] }, ({ outputs }) => outputs.s28 + 1)
  .step("s30", { dependsOn: ["s29"] }, ({ outputs }) => outputs.s29 + 1)
  .step("s31", { dependsOn: ["s30"] }, ({ outputs }) => outputs.s30 + 1)
  .step("s32", { dependsOn: ["s31"] }, ({ outputs }) => outputs.s31 + 1)
  .step("s33", { dependsOn: ["s32"] }, ({ outputs }) => outputs.s32 + 1)
  .step("s34", { dependsOn: ["s33"] }, ({ outputs }) => outputs.s33 + 1)
  .step("s35", { dependsOn: ["s34"] }, ({ outputs }) => outputs.s34 + 1)
  .step("s36", { dependsOn: ["s35"] }, ({ outputs }) => outputs.s35 + 1)
  .step("s37", { dependsOn: ["s36"] }, ({ outputs }) => outputs.s36 + 1)
  .step("s38", { dependsOn: ["s37"] }, ({ outputs }) => outputs.s37 + 1)
  .step("s39", { dependsOn: ["s38"] }, ({ outputs }) => outputs.s38 + 1)
  .step("s40", { dependsOn: ["s39"] }, ({ outputs }) => outputs.s39 + 1)
  .step("s41", { dependsOn: ["s40"] }, ({ outputs }) => outputs.s40 + 1)
  .step("s42", { dependsOn: ["s41"] }, ({ outputs }) => outputs.s41 + 1)
  .step("s43", { dependsOn: ["s42"] }, ({ outputs }) => outputs.s42 + 1)
  .step("s44", { dependsOn: ["s43"] }, ({ outputs }) => outputs.s43 + 1)
  .step("s45", { dependsOn: ["s44"] }, ({ outputs }) => outputs.s44 + 1)
  .step("s46", { dependsOn: ["s45"] }, ({ outputs }) => outputs.s45 + 1)
  .step("s47", { dependsOn: ["s46"] }, ({ outputs }) => outputs.s46 + 1)
  .step("s48", { dependsOn: ["s47"] }, ({ outputs }) => outputs.s47 + 1)
  .step("s49", { dependsOn: ["s48"] }, ({ outputs }) => outputs.s48 + 1)
  .step("s50", { dependsOn: ["s49"] }, ({ outputs }) => outputs.s49 + 1)
  .step("s51", { dependsOn: ["s50"] }, ({ outputs }) => outputs.s50 + 1)
  .step("s52", { dependsOn: ["s51"] }, ({ outputs }) => outputs.s51 + 1)
  .step("s53", { dependsOn: ["s52"] }, ({ outputs }) => outputs.s52 + 1)
  .step("s54", { dependsOn: ["s53"] }, ({ outputs }) => outputs.s53 + 1)
  .step("s55", { dependsOn: ["s54"] }, ({ outputs }) => outputs.s54 + 1)
  .step("s56", { dependsOn: ["s55"] }, ({ outputs }) => outputs.s55 + 1)
  .step("s57", { dependsOn: ["s56"] }, ({ outputs }) => outputs.s56 + 1)
  .step("s58", { dependsOn: ["s57"] }, ({ outputs }) => outputs.s57 + 1)
  .step("s59", { dependsOn: ["s58"] }, ({ outputs }) => outputs.s58 + 1)
  .step("s60", { dependsOn: ["s59"] }, ({ outputs }) => outputs.s59 + 1)
  .step("s61", { dependsOn: ["s60"] }, ({ outputs }) => outputs.s60 + 1)
  .step("s62", { dependsOn: ["s61"] }, ({ outputs }) => outputs.s61 + 1)
  .step("s63", { dependsOn: ["s62"] }, ({ outputs }) => outputs.s62 + 1)
  .step("s64", { dependsOn: ["s63"] }, ({ outputs }) => outputs.s63 + 1)
  .step("s65", { dependsOn: ["s64"] }, ({ outputs }) => outputs.s64 + 1)
  .step("s66", { dependsOn: ["s65"] }, ({ outputs }) => outputs.s65 + 1)
  .step("s67", { dependsOn: ["s66"] }, ({ outputs }) => outputs.s66 + 1)
  .step("s68", { dependsOn: ["s67"] }, ({ outputs }) => outputs.s67 + 1)
  .step("s69", { dependsOn: ["s68"] }, ({ outputs }) => outputs.s68 + 1)
  .step("s70", { dependsOn: ["s69"] }, ({ outputs }) => outputs.s69 + 1)
  .step("s71", { dependsOn: ["s70"] }, ({ outputs }) => outputs.s70 + 1)
  .step("s72", { dependsOn: ["s71"] }, ({ outputs }) => outputs.s71 + 1)
  .step("s73", { dependsOn: ["s72"] }, ({ outputs }) => outputs.s72 + 1)
  .step("s74", { dependsOn: ["s73"] }, ({ outputs }) => outputs.s73 + 1)
  .step("s75", { dependsOn: ["s74"] }, ({ outputs }) => outputs.s74 + 1)
  .step("s76", { dependsOn: ["s75"] }, ({ outputs }) => outputs.s75 + 1)
  .step("s77", { dependsOn: ["s76"] }, ({ outputs }) => outputs.s76 + 1)
  .step("s78", { dependsOn: ["s77"] }, ({ outputs }) => outputs.s77 + 1)
  .step("s79", { dependsOn: ["s78"] }, ({ outputs }) => outputs.s78 + 1)
  .step("s80", { dependsOn: ["s79"] }, ({ outputs }) => outputs.s79 + 1)
  .step("s81", { dependsOn: ["s80"] }, ({ outputs }) => outputs.s80 + 1)
  .step("s82", { dependsOn: ["s81"] }, ({ outputs }) => outputs.s81 + 1)
  .step("s83", { dependsOn: ["s82"] }, ({ outputs }) => outputs.s82 + 1)
  .step("s84", { dependsOn: ["s83"] }, ({ outputs }) => outputs.s83 + 1)
  .step("s85", { dependsOn: ["s84"] }, ({ outputs }) => outputs.s84 + 1)
  .step("s86", { dependsOn: ["s85"] }, ({ outputs }) => outputs.s85 + 1)
  .step("s87", { dependsOn: ["s86"] }, ({ outputs }) => outputs.s86 + 1)
  .step("s88", { dependsOn: ["s87"] }, ({ outputs }) => outputs.s87 + 1)
  .step("s89", { dependsOn: ["s88"] }, ({ outputs }) => outputs.s88 + 1)
  .step("s90", { dependsOn: ["s89"] }, ({ outputs }) => outputs.s89 + 1)
  .step("s91", { dependsOn: ["s90"] }, ({ outputs }) => outputs.s90 + 1)
  .step("s92", { dependsOn: ["s91"] }, ({ outputs }) => outputs.s91 + 1)
  .step("s93", { dependsOn: ["s92"] }, ({ outputs }) => outputs.s92 + 1)
  .step("s94", { dependsOn: ["s93"] }, ({ outputs }) => outputs.s93 + 1)
  .step("s95", { dependsOn: ["s94"] }, ({ outputs }) => outputs.s94 + 1)
  .step("s96", { dependsOn: ["s95"] }, ({ outputs }) => outputs.s95 + 1)
  .step("s97", { dependsOn: ["s96"] }, ({ outputs }) => outputs.s96 + 1)
  .step("s98", { dependsOn: ["s97"] }, ({ outputs }) => outputs.s97 + 1)
  .step("s99", { dependsOn: ["s98"] }, ({ outputs }) => outputs.s98 + 1)
  .step("s100", { dependsOn: ["s99"] }, ({ outputs }) => outputs.s99 + 1)
  .step("s101", { dependsOn: ["s100"] }, ({ outputs }) => outputs.s100 + 1)
  .step("s102", { dependsOn: ["s101"] }, ({ outputs }) => outputs.s101 + 1)
  .step("s103", { dependsOn: ["s102"] }, ({ outputs }) => outputs.s102 + 1)
  .step("s104", { dependsOn: ["s103"] }, ({ outputs }) => outputs.s103 + 1)
  .step("s105", { dependsOn: ["s104"] }, ({ outputs }) => outputs.s104 + 1)
  .step("s106", { dependsOn: ["s105"] }, ({ outputs }) => outputs.s105 + 1)
  .step("s107", { dependsOn: ["s106"] }, ({ outputs }) => outputs.s106 + 1)
  .step("s108", { dependsOn: ["s107"] }, ({ outputs }) => outputs.s107 + 1)
  .step("s109", { dependsOn: ["s108"] }, ({ outputs }) => outputs.s108 + 1)
  .step("s110", { dependsOn: ["s109"] }, ({ outputs }) => outputs.s109 + 1)
  .step("s111", { dependsOn: ["s110"] }, ({ outputs }) => outputs.s110 + 1)
  .step("s112", { dependsOn: ["s111"] }, ({ outputs }) => outputs.s111 + 1)
  .step("s113", { dependsOn: ["s112"] }, ({ outputs }) => outputs.s112 + 1)
  .step("s114", { dependsOn: ["s113"] }, ({ outputs }) => outputs.s113 + 1)
  .step("s115", { dependsOn: ["s114"] }, ({ outputs }) => outputs.s114 + 1)
  .step("s116", { dependsOn: ["s115"] }, ({ outputs }) => outputs.s115 + 1)
  .step("s117", { dependsOn: ["s116"] }, ({ outputs }) => outputs.s116 + 1)
  .step("s118", { dependsOn: ["s117"] }, ({ outputs }) => outputs.s117 + 1)
  .step("s119", { dependsOn: ["s118"] }, ({ outputs }) => outputs.s118 + 1)
  .step("s120", { dependsOn: ["s119"] }, ({ outputs }) => outputs.s119 + 1)
  .step("s121", { dependsOn: ["s120"] }, ({ outputs }) => outputs.s120 + 1)
  .step("s122", { dependsOn: ["s121"] }, ({ outputs }) => outputs.s121 + 1)
  .step("s123", { dependsOn: ["s122"] }, ({ outputs }) => outputs.s122 + 1)
  .step("s124", { dependsOn: ["s123"] }, ({ outputs }) => outputs.s123 + 1)
  .step("s125", { dependsOn: ["s124"] }, ({ outputs }) => outputs.s124 + 1)
  .step("s126", { dependsOn: ["s125"] }, ({ outputs }) => outputs.s125 + 1)
  .step("s127", { dependsOn: ["s126"] }, ({ outputs }) => outputs.s126 + 1)
  .step("s128", { dependsOn: ["s127"] }, ({ outputs }) => outputs.s127 + 1)
  .step("s129", { dependsOn: ["s128"] }, ({ outputs }) => outputs.s128 + 1)
  .step("s130", { dependsOn: ["s129"] }, ({ outputs }) => outputs.s129 + 1)
  .step("s131", { dependsOn: ["s130"] }, ({ outputs }) => outputs.s130 + 1)
  .step("s132", { dependsOn: ["s131"] }, ({ outputs }) => outputs.s131 + 1)
  .step("s133", { dependsOn: ["s132"] }, ({ outputs }) => outputs.s132 + 1)
  .step("s134", { dependsOn: ["s133"] }, ({ outputs }) => outputs.s133 + 1)
  .step("s135", { dependsOn: ["s134"] }, ({ outputs }) => outputs.s134 + 1)
  .step("s136", { dependsOn: ["s135"] }, ({ outputs }) => outputs.s135 + 1)
  .step("s137", { dependsOn: ["s136"] }, ({ outputs }) => outputs.s136 + 1)
  .step("s138", { dependsOn: ["s137"] }, ({ outputs }) => outputs.s137 + 1)
  .step("s139", { dependsOn: ["s138"] }, ({ outputs }) => outputs.s138 + 1)
  .step("s140", { dependsOn: ["s139"] }, ({ outputs }) => outputs.s139 + 1)
  .step("s141", { dependsOn: ["s140"] }, ({ outputs }) => outputs.s140 + 1)
  .step("s142", { dependsOn: ["s141"] }, ({ outputs }) => outputs.s141 + 1)
  .step("s143", { dependsOn: ["s142"] }, ({ outputs }) => outputs.s142 + 1)
  .step("s144", { dependsOn: ["s143"] }, ({ outputs }) => outputs.s143 + 1)
  .step("s145", { dependsOn: ["s144"] }, ({ outputs }) => outputs.s144 + 1)
  .step("s146", { dependsOn: ["s145"] }, ({ outputs }) => outputs.s145 + 1)
  .step("s147", { dependsOn: ["s146"] }, ({ outputs }) => outputs.s146 + 1)
  .step("s148", { dependsOn: ["s147"] }, ({ outputs }) => outputs.s147 + 1)
  .step("s149", { dependsOn: ["s148"] }, ({ outputs }) => outputs.s148 + 1)
  .step("s150", { dependsOn: ["s149"] }, ({ outputs }) => outputs.s149 + 1)
  .step("s151", { dependsOn: ["s150"] }, ({ outputs }) => outputs.s150 + 1)
  .step("s152", { dependsOn: ["s151"] }, ({ outputs }) => outputs.s151 + 1)
  .step("s153", { dependsOn: ["s152"] }, ({ outputs }) => outputs.s152 + 1)
  .step("s154", { dependsOn: ["s153"] }, ({ outputs }) => outputs.s153 + 1)
  .step("s155", { dependsOn: ["s154"] }, ({ outputs }) => outputs.s154 + 1)
  .step("s156", { dependsOn: ["s155"] }, ({ outputs }) => outputs.s155 + 1)
  .step("s157", { dependsOn: ["s156"] }, ({ outputs }) => outputs.s156 + 1)
  .step("s158", { dependsOn: ["s157"] }, ({ outputs }) => outputs.s157 + 1)
  .step("s159", { dependsOn: ["s158"] }, ({ outputs }) => outputs.s158 + 1)
  .step("s160", { dependsOn: ["s159"] }, ({ outputs }) => outputs.s159 + 1)
  .step("s161", { dependsOn: ["s160"] }, ({ outputs }) => outputs.s160 + 1)
  .step("s162", { dependsOn: ["s161"] }, ({ outputs }) => outputs.s161 + 1)
  .step("s163", { dependsOn: ["s162"] }, ({ outputs }) => outputs.s162 + 1)
  .step("s164", { dependsOn: ["s163"] }, ({ outputs }) => outputs.s163 + 1)
  .step("s165", { dependsOn: ["s164"] }, ({ outputs }) => outputs.s164 + 1)
  .step("s166", { dependsOn: ["s165"] }, ({ outputs }) => outputs.s165 + 1)
  .step("s167", { dependsOn: ["s166"] }, ({ outputs }) => outputs.s166 + 1)
  .step("s168", { dependsOn: ["s167"] }, ({ outputs }) => outputs.s167 + 1)
  .step("s169", { dependsOn: ["s168"] }, ({ outputs }) => outputs.s168 + 1)
  .step("s170", { dependsOn: ["s169"] }, ({ outputs }) => outputs.s169 + 1)
  .step("s171", { dependsOn: ["s170"] }, ({ outputs }) => outputs.s170 + 1)
  .step("s172", { dependsOn: ["s171"] }, ({ outputs }) => outputs.s171 + 1)
  .step("s173", { dependsOn: ["s172"] }, ({ outputs }) => outputs.s172 + 1)
  .step("s174", { dependsOn: ["s173"] }, ({ outputs }) => outputs.s173 + 1)
  .step("s175", { dependsOn: ["s174"] }, ({ outputs }) => outputs.s174 + 1)
  .step("s176", { dependsOn: ["s175"] }, ({ outputs }) => outputs.s175 + 1)
  .step("s177", { dependsOn: ["s176"] }, ({ outputs }) => outputs.s176 + 1)
  .step("s178", { dependsOn: ["s177"] }, ({ outputs }) => outputs.s177 + 1)
  .step("s179", { dependsOn: ["s178"] }, ({ outputs }) => outputs.s178 + 1)
  .step("s180", { dependsOn: ["s179"] }, ({ outputs }) => outputs.s179 + 1)
  .step("s181", { dependsOn: ["s180"] }, ({ outputs }) => outputs.s180 + 1)
  .step("s182", { dependsOn: ["s181"] }, ({ outputs }) => outputs.s181 + 1)
  .step("s183", { dependsOn: ["s182"] }, ({ outputs }) => outputs.s182 + 1)
  .step("s184", { dependsOn: ["s183"] }, ({ outputs }) => outputs.s183 + 1)
  .step("s185", { dependsOn: ["s184"] }, ({ outputs }) => outputs.s184 + 1)
  .step("s186", { dependsOn: ["s185"] }, ({ outputs }) => outputs.s185 + 1)
  .step("s187", { dependsOn: ["s186"] }, ({ outputs }) => outputs.s186 + 1)
  .step("s188", { dependsOn: ["s187"] }, ({ outputs }) => outputs.s187 + 1)
  .step("s189", { dependsOn: ["s188"] }, ({ outputs }) => outputs.s188 + 1)
  .step("s190", { dependsOn: ["s189"] }, ({ outputs }) => outputs.s189 + 1)
  .step("s191", { dependsOn: ["s190"] }, ({ outputs }) => outputs.s190 + 1)
  .step("s192", { dependsOn: ["s191"] }, ({ outputs }) => outputs.s191 + 1)
  .step("s193", { dependsOn: ["s192"] }, ({ outputs }) => outputs.s192 + 1)
  .step("s194", { dependsOn: ["s193"] }, ({ outputs }) => outputs.s193 + 1)
  .step("s195", { dependsOn: ["s194"] }, ({ outputs }) => outputs.s194 + 1)
  .step("s196", { dependsOn: ["s195"] }, ({ outputs }) => outputs.s195 + 1)
  .step("s197", { dependsOn: ["s196"] }, ({ outputs }) => outputs.s196 + 1)
  .step("s198", { dependsOn: ["s197"] }, ({ outputs }) => outputs.s197 + 1)
  .step("s199", { dependsOn: ["s198"] }, ({ outputs }) => outputs.s198 + 1)
  .step("s200", { dependsOn: ["s199"] }, ({ outputs }) => outputs.s199 + 1);

describe("a chain of 200 steps", () => {
  it("CONTRACT-1 has the types of its outputs at its far end, and runs", async () => {
    const built = chain.output(({ outputs: { s1, s200 } }) => [s1, s200] as const);
    expectTypeOf<NonNullable<typeof built.types>["output"]>().toEqualTypeOf<readonly [number, number]>();
    await using test = await openTestEngine();
    expect(await (await test.start(built, { from: 0 })).result()).toEqual([1, 200]);
  });

  it("GRAPH-6 refuses at its far end what it refuses at its beginning", () => {
    // @ts-expect-error -- there is no step `s201`
    chain.step("last", { dependsOn: ["s201"] }, () => 1);
    // @ts-expect-error -- `s199` is not among the dependencies
    chain.step("last", { dependsOn: ["s200"] }, ({ outputs }) => outputs.s199);
    // @ts-expect-error -- the output of `s200` is a number
    chain.step("last", { dependsOn: ["s200"] }, ({ outputs }) => outputs.s200.length);
    // @ts-expect-error -- the id is taken
    chain.step("s100", () => 1);
    expect(chain.definition.steps).toHaveLength(200);
  });
});

describe("the types of a start", () => {
  const built: BuiltWorkflow<{ readonly from: number }, { readonly to: number }> = workflow<{ readonly from: number }>(
    "typed",
  )
    .step("add", ({ input }) => ({ to: input.from + 1 }))
    .output(({ outputs }) => outputs.add);

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
