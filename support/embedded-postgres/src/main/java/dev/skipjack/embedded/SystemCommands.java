package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Finds programs in the file system and runs them as processes. */
final class SystemCommands implements Commands {

  private static final int CANNOT_RUN = 127;
  private static final int TIMED_OUT = 124;

  /**
   * The folders to search after those in PATH, because the PATH of services and cron jobs often
   * lacks the folder of runuser.
   */
  private static final List<String> USUAL_FOLDERS =
      List.of("/usr/sbin", "/usr/bin", "/sbin", "/bin");

  @Override
  public @Nullable Path find(String program) {
    List<String> folders = new ArrayList<>();
    String path = System.getenv("PATH");
    if (path != null) {
      folders.addAll(Arrays.asList(path.split(":", -1)));
    }
    folders.addAll(USUAL_FOLDERS);
    return folders.stream()
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  @Override
  public Result run(List<String> command, String input, Duration limit) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // The user that runs the command may not have access to the working directory of this JVM.
    builder.directory(Path.of("/").toFile());
    // Variables such as PGDATA and PGPORT could refer to another server. Messages are parsed, so
    // they must be in English.
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      return new Result(CANNOT_RUN, String.valueOf(e.getMessage()));
    }
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(input.getBytes(UTF_8));
    } catch (IOException e) {
      // The command did not read all its input; its exit code shows whether that matters.
    }
    CompletableFuture<String> output = new CompletableFuture<>();
    Thread reader =
        new Thread(() -> output.complete(readAll(process.getInputStream())), "skipjack-output");
    reader.setDaemon(true);
    reader.start();
    return await(process, output, limit);
  }

  private static Result await(Process process, CompletableFuture<String> output, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            process.destroyForcibly();
            return new Result(TIMED_OUT, "no response within " + limit.toSeconds() + " s");
          }
          return new Result(process.exitValue(), output.get(5, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
          return new Result(process.exitValue(), "");
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static String readAll(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
