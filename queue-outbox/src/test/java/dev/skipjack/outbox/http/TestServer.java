package dev.skipjack.outbox.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * An HTTP server that reads requests itself, so that it can respond with anything, or not at all.
 */
final class TestServer implements AutoCloseable {

  /**
   * A request that has arrived.
   *
   * @param headers the headers by their names in lower case
   * @param latin1 the body, with a character for each byte
   */
  record Request(String line, Map<String, String> headers, String latin1) {

    byte[] body() {
      return latin1.getBytes(ISO_8859_1);
    }

    String header(String name) {
      return headers.getOrDefault(name, "(none)");
    }
  }

  /** Writes a response. The connection is closed afterwards. */
  @FunctionalInterface
  interface Responder {
    void respond(Request request, Socket socket) throws Exception;
  }

  final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
  private final ServerSocket listener;
  private final Responder responder;
  private final CountDownLatch closed = new CountDownLatch(1);

  TestServer(Responder responder) throws IOException {
    this.responder = responder;
    this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (!listener.isClosed()) {
            Socket socket = listener.accept();
            daemon(() -> serve(socket));
          }
        });
  }

  /** Returns a server that responds to each request with a status and headers. */
  static TestServer responding(int status, String... headers) throws IOException {
    return new TestServer((request, socket) -> write(socket, status, headers));
  }

  /** Returns a server that accepts requests and responds to none. */
  static TestServer silent() throws IOException {
    return new TestServer((request, socket) -> Thread.sleep(Long.MAX_VALUE));
  }

  static void write(Socket socket, int status, String... headers) throws IOException {
    StringBuilder head = new StringBuilder("HTTP/1.1 %d Status\r\n".formatted(status));
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("Content-Length: 0\r\nConnection: close\r\n\r\n");
    writeRaw(socket, head.toString());
  }

  static void writeRaw(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(ISO_8859_1));
    out.flush();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:%d%s".formatted(listener.getLocalPort(), path));
  }

  HttpEndpoint endpoint() {
    return HttpEndpoint.of(uri("/events"));
  }

  /** Returns the ids of the events that have arrived. */
  List<String> ids() {
    synchronized (requests) {
      return requests.stream().map(request -> request.header("webhook-id")).toList();
    }
  }

  private void serve(Socket socket) throws Exception {
    try (socket) {
      Request request = read(socket.getInputStream());
      requests.add(request);
      responder.respond(request, socket);
    }
  }

  private static Request read(InputStream in) throws IOException {
    String line = readLine(in);
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header = readLine(in); !header.isEmpty(); header = readLine(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new Request(line, headers, new String(in.readNBytes(length), ISO_8859_1));
  }

  private static String readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("The client has closed the connection.");
      }
      line.write(next);
    }
    return line.toString(ISO_8859_1).strip();
  }

  /** Work of a thread that ends when the server is closed. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception ended) {
                if (closed.getCount() > 0 && !(ended instanceof IOException)) {
                  throw new AssertionError(ended);
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
  }
}
