// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice Answers many reads in one `eth_call`, and is never deployed: the call has this creation code and the reads as its
/// data, and what the constructor returns is the answer.
/// @dev A read is the address of its target, the length of its data in two bytes, and the data. Without data it asks whether
/// the target has code. The answer is a byte `0x01` and for each read a byte and a word: the byte is 1 if the target has code,
/// or if it answered with exactly one word. A target gets `CALL_GAS` and no more, and one word of its answer is copied at
/// most, so that nothing that it does changes the answer of another. Where less gas is left nothing is asked: a target that
/// runs out of gas inside may catch that and answer something else.
contract GroupedReads {
    uint256 private constant CALL_GAS = 200_000;
    /// @dev `CALL_GAS` and the part that a call keeps back, with room for a cold account.
    uint256 private constant LEAST_GAS = 220_000;

    constructor(bytes memory reads) {
        assembly ("memory-safe") {
            let from := add(reads, 0x20)
            let end := add(from, mload(reads))
            let answer := mload(0x40)
            // Nodes take what is returned for the code of a contract, and refuse one that begins with 0xef.
            mstore8(answer, 1)
            let at := add(answer, 1)
            for {} lt(from, end) {} {
                let target := shr(96, mload(from))
                let size := shr(240, mload(add(from, 20)))
                from := add(from, 22)
                mstore(0, 0)
                switch size
                case 0 { mstore8(at, iszero(iszero(extcodesize(target)))) }
                default {
                    let isAnswered := 0
                    if gt(gas(), LEAST_GAS) {
                        isAnswered := staticcall(CALL_GAS, target, from, size, 0, 0x20)
                        isAnswered := and(isAnswered, eq(returndatasize(), 0x20))
                    }
                    mstore8(at, isAnswered)
                    from := add(from, size)
                }
                mstore(add(at, 1), mload(0))
                at := add(at, 33)
            }
            return(answer, sub(at, answer))
        }
    }
}
