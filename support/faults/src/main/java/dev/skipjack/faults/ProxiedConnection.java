package dev.skipjack.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.function.Consumer;

/** One client's connection to the server, with a thread for each direction. */
final class ProxiedConnection {

  private static final int CHUNK = 16 * 1024;

  private final Socket client;
  private final Socket server;
  private final ProxyFaults faults;
  private final Consumer<ProxiedConnection> ended;
  private final CommitFinder commits = new CommitFinder();

  /** Stays true once it is set, because a stream with missing bytes is useless. */
  private volatile boolean swallowed;

  private volatile boolean cutAtAnswer;

  /**
   * @param ended called when both sides are closed, possibly more than once
   */
  ProxiedConnection(
      Socket client, Socket server, ProxyFaults faults, Consumer<ProxiedConnection> ended) {
    this.client = client;
    this.server = server;
    this.faults = faults;
    this.ended = ended;
  }

  void start() {
    thread("up", () -> pump(client, server, true)).start();
    thread("down", () -> pump(server, client, false)).start();
  }

  private Thread thread(String direction, Runnable body) {
    Thread thread = new Thread(body, "tcp-proxy-" + client.getLocalPort() + "-" + direction);
    thread.setDaemon(true);
    return thread;
  }

  /** Discards everything that either side sends from now on, and keeps both connections open. */
  void swallow() {
    swallowed = true;
  }

  /** Breaks both sides. */
  void reset() {
    reset(client);
    reset(server);
    ended.accept(this);
  }

  /** Closes with RST instead of an orderly shutdown. */
  static void reset(Socket socket) {
    try {
      socket.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException closedAlready) {
      return;
    } finally {
      close(socket);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException unneeded) {
      Thread.onSpinWait(); // the socket is closed already
    }
  }

  private void pump(Socket from, Socket to, boolean up) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
        hold(up ? faults.toServer() : faults.toClient());
        if (isSwallowed()) {
          continue;
        }
        if (up ? !passUp(chunk, length) : cutAtAnswer) {
          reset();
          return;
        }
        out.write(chunk, 0, length);
        out.flush();
      }
    } catch (IOException broken) {
      if (!isSwallowed()) {
        reset();
        return;
      }
    }
    end(from);
  }

  /** Returns whether the chunk may be forwarded to the server. */
  private boolean passUp(byte[] chunk, int length) {
    if (!commits.isIn(chunk, length)) {
      return true;
    }
    CommitCut cut = faults.nextCut();
    cutAtAnswer |= cut == CommitCut.AFTER;
    return cut != CommitCut.BEFORE;
  }

  private boolean isSwallowed() {
    if (faults.isBlackHole()) {
      swallowed = true;
    }
    return swallowed;
  }

  /** Closes both sides, or only {@code from} if the end of the connection must be discarded too. */
  private void end(Socket from) {
    if (isSwallowed()) {
      close(from);
      if (client.isClosed() && server.isClosed()) {
        ended.accept(this);
      }
    } else {
      close(client);
      close(server);
      ended.accept(this);
    }
  }

  private static void hold(Duration latency) {
    if (latency.compareTo(Duration.ZERO) > 0) {
      try {
        Thread.sleep(latency.toMillis());
      } catch (InterruptedException nobodyDoes) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
