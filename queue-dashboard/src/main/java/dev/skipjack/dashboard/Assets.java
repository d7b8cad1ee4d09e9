package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.stream.Stream;

/** The files that the pages need. Their addresses contain a hash, so that browsers keep them. */
enum Assets {
  STYLE("dashboard.css", "text/css; charset=utf-8"),
  SCRIPT("dashboard.js", "text/javascript; charset=utf-8"),
  ICON("icon.svg", "image/svg+xml");

  private static final int HASH = 12;

  private final String file;
  private final String type;
  private final String content;
  private final String hash;

  Assets(String file, String type) {
    this.file = file;
    this.type = type;
    this.content = read(file);
    this.hash = new Signer(new byte[1]).sign(content).substring(0, HASH);
  }

  private static String read(String file) {
    try (InputStream input = Assets.class.getResourceAsStream(file)) {
      if (input == null) {
        throw new IllegalStateException("The jar lacks " + file + ".");
      }
      return new String(input.readAllBytes(), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  Link link(int depth) {
    return Link.of(depth, "/assets/" + file).with("v", hash);
  }

  /** Returns the response to a request for a file, or empty for any other path. */
  static Optional<Response> at(Request request) {
    return Stream.of(values())
        .filter(asset -> request.path().equals("/assets/" + asset.file))
        .findFirst()
        .map(
            asset ->
                Response.of(200, asset.type, asset.content.getBytes(UTF_8))
                    .with(
                        "Cache-Control",
                        request.parameter("v").equals(Optional.of(asset.hash))
                            ? "public, max-age=31536000, immutable"
                            : "no-cache"));
  }
}
