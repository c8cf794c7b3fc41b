package dev.cassidy.reliability.transactions;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The tables of the bank as entities. */
final class BankEntities {

    static final List<Class<?>> ALL = List.of(
            AccountA.class,
            AccountB.class,
            AccountC.class,
            Booked.class,
            Daybook.class,
            Good.class,
            Line.class,
            Purchase.class);

    private BankEntities() {}

    static Class<? extends Account> account(String name) {
        return switch (name.charAt(0)) {
            case 'a' -> AccountA.class;
            case 'b' -> AccountB.class;
            default -> AccountC.class;
        };
    }

    /** Who writes one, by whatever means, changes its version. */
    @MappedSuperclass
    static class Account {
        int balance;
        String note;

        @Version
        int touched;
    }

    @Entity(name = "AccountA")
    @Table(name = "acct_a")
    static class AccountA extends Account {
        @Id
        Integer id;
    }

    @Entity(name = "AccountB")
    @Table(name = "acct_b")
    static class AccountB extends Account {
        @Id
        String id;
    }

    @Entity(name = "AccountC")
    @Table(name = "acct_c")
    static class AccountC extends Account {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Integer id;
    }

    @Entity(name = "Booked")
    @Table(name = "a_book")
    static class Booked {
        @Id
        String id;

        String moves;

        Booked() {}

        Booked(String id, String moves) {
            this.id = id;
            this.moves = moves;
        }
    }

    @Entity(name = "Daybook")
    @Table(name = "daybook")
    static class Daybook {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Integer id;

        String transfer;
        String moves;

        Daybook() {}

        Daybook(String transfer, String moves) {
            this.transfer = transfer;
            this.moves = moves;
        }
    }

    @Entity(name = "Good")
    @Table(name = "goods")
    static class Good {
        @Id
        Integer id;

        int stock;

        @Version
        int touched;
    }

    @Entity(name = "Purchase")
    @Table(name = "orders")
    static class Purchase {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Integer id;

        String tag;

        @Column(name = "size")
        int lineCount;

        @OneToMany(mappedBy = "purchase", cascade = CascadeType.ALL)
        List<Line> lines = new ArrayList<>();

        Purchase() {}

        Purchase(String tag, int lineCount) {
            this.tag = tag;
            this.lineCount = lineCount;
        }

        void add(int good, int quantity) {
            Line line = new Line();
            line.purchase = this;
            line.no = lines.size();
            line.good = good;
            line.quantity = quantity;
            lines.add(line);
        }
    }

    /** The key of a line. */
    static class LineKey implements Serializable {
        private static final long serialVersionUID = 1L;

        Integer purchase;
        int no;

        @Override
        public boolean equals(Object other) {
            return other instanceof LineKey key && Objects.equals(purchase, key.purchase) && no == key.no;
        }

        @Override
        public int hashCode() {
            return Objects.hash(purchase, no);
        }
    }

    @Entity(name = "Line")
    @Table(name = "line")
    @IdClass(LineKey.class)
    static class Line {
        @Id
        @ManyToOne
        @JoinColumn(name = "orders")
        Purchase purchase;

        @Id
        int no;

        int good;

        @Column(name = "qty")
        int quantity;
    }
}
