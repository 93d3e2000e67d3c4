// The AI SDK as a judge: lines `{"kind", "messages"}` come in, a verdict for each goes out.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const from = createRequire(process.env.REJOINDER_NODE_MODULES + "/ai/package.json");
const { modelMessageSchema, safeValidateUIMessages, convertToModelMessages } = await import(
  pathToFileURL(from.resolve("ai"))
);

async function verdict({ kind, messages }) {
  if (kind === "model") {
    const bad = messages.map((message) => modelMessageSchema.safeParse(message)).find((each) => !each.success);
    return { error: bad ? String(bad.error.message) : null, model: messages };
  }
  const found = messages.length ? await safeValidateUIMessages({ messages }) : { success: true };
  if (!found.success) return { error: String(found.error.message) };
  const model = await convertToModelMessages(messages);
  const bad = model.map((message) => modelMessageSchema.safeParse(message)).find((each) => !each.success);
  return { error: bad ? String(bad.error.message) : null, model };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await verdict(JSON.parse(line));
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
