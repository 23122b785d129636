// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev One further recipient of a payout. `bps` is a share of the settled amount, in hundredths of a percent.
struct Split {
    address to;
    uint16 bps;
}

/// @dev Head of a payout's terms, one storage slot. `merchant == 0` means that the id was never registered.
/// `offAt == 0` means that the id is on; otherwise it stops working at that second.
struct PayoutHead {
    address merchant;
    uint16 feeBps;
    uint8 splitCount;
    uint64 offAt;
}

/// @dev What the admin allows for one token, one storage slot. Amounts in the token's smallest unit.
/// `callGas` is the most gas that one transfer of this token may burn inside a batch or a payout leg.
struct TokenConfig {
    bool enabled;
    uint32 callGas;
    uint104 operatorHourlyCap;
    uint104 recoveryHourlyCap;
}

/// @dev Which EIP-3009 message the payer signed. `Receive` can be submitted by the processor only.
enum AuthorizationKind {
    Transfer,
    Receive
}

/// @dev An EIP-3009 authorization whose `to` is the processor. Times in Unix seconds.
struct Authorization {
    AuthorizationKind kind;
    address from;
    uint256 value;
    uint256 validAfter;
    uint256 validBefore;
    bytes32 nonce;
}

/// @dev An EIP-2612 permit whose `spender` is the processor. `deadline` in Unix seconds.
struct Permit {
    address owner;
    uint256 value;
    uint256 nonce;
    uint256 deadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

/// @dev One payment of a batch, six words:
/// `head`    payer (160 bits) | intent code (64) | zero (16) | kind (8) | v (8)
/// `amounts` signed cap (128) | settled amount (128)
/// `window`  zero (128) | validAfter (64) | validBefore (64)
struct BatchItem {
    uint256 head;
    uint256 amounts;
    uint256 window;
    bytes32 nonce;
    bytes32 r;
    bytes32 s;
}

/// @dev The payments of a batch that share one payout.
struct BatchGroup {
    uint64 payoutId;
    BatchItem[] items;
}

/// @dev What became of one item of a batch. Only `Settled` moved money.
enum ItemCode {
    Settled,
    PayoutInactive,
    AmountOutOfRange,
    IntentAlreadySettled,
    NotYetValid,
    Expired,
    NonceNotBound,
    Malformed,
    AuthorizationUsed,
    InsufficientFunds,
    PullRefused,
    NothingArrived
}
