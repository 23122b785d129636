// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchGroup, BatchItem, ItemCode, PayoutHead, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

/// @dev A nonce that commits to the terms: nobody, not even operator and registrar together, can redirect the payment.
contract BoundNonceTest is Fixture {
    function _boundTo(uint64 payoutId, uint64 code, uint16 attempt) internal returns (Authorization memory a) {
        a = _authorization(payer, 10_000);
        a.nonce = processor.boundNonce(address(token), payoutId, code, attempt);
    }

    function test_itSettlesUnderItsOwnTerms() public {
        Authorization memory a = _boundTo(SPLIT, 7, 0);
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignature(address(token), 7, SPLIT, a, signature);
        BatchGroup memory group = BatchGroup(SPLIT, new BatchItem[](2));
        group.items[0] = _item(PAYER_KEY, _boundTo(SPLIT, 8, 3), 8, 10_000);
        group.items[1] = _item(PAYER_KEY, _boundTo(SPLIT, 9, 65_535), 9, 10_000);
        assertEq(_settle(_one(group)), new bytes(2));
    }

    function test_aSingleUnderOtherTermsIsRefused() public {
        Authorization memory a = _boundTo(PLAIN, 7, 0);
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.startPrank(operator);
        bytes32 other = processor.boundNonce(address(token), SPLIT, 7, 0);
        vm.expectRevert(abi.encodeWithSelector(NonceNotBound.selector, a.nonce, other));
        processor.payWithSignature(address(token), 7, SPLIT, a, signature);
        vm.expectPartialRevert(NonceNotBound.selector);
        processor.payWithSignatureUpto(address(token), 8, PLAIN, a, 1, signature);
        vm.stopPrank();
    }

    function test_aBatchItemUnderOtherTermsIsRefused() public {
        Authorization memory a = _boundTo(PLAIN, 7, 0);
        assertEq(uint8(_settle(_one(SPLIT, _item(PAYER_KEY, a, 7, 1)))[0]), uint8(ItemCode.NonceNotBound));
        assertEq(uint8(_settle(_one(PLAIN, _item(PAYER_KEY, a, 8, 1)))[0]), uint8(ItemCode.NonceNotBound));
        assertEq(uint8(_settle(_one(PLAIN, _item(PAYER_KEY, a, 7, 1)))[0]), uint8(ItemCode.Settled));
    }

    function test_recoveryIsBoundToo() public {
        Authorization memory a = _boundTo(PLAIN, 7, 0);
        bytes memory signature = _signature(PAYER_KEY, a);
        _submitDirectly(a, signature, address(processor));
        vm.startPrank(recovery);
        vm.expectPartialRevert(NonceNotBound.selector);
        processor.settleStranded(address(token), 7, SPLIT, a, 10_000, signature);
        vm.expectPartialRevert(NonceNotBound.selector);
        processor.settleStranded(address(token), 8, PLAIN, a, 10_000, signature);
        processor.settleStranded(address(token), 7, PLAIN, a, 10_000, signature);
        vm.stopPrank();
    }

    function test_everyTermChangesTheNonce() public {
        bytes32 base = processor.boundNonce(address(token), PLAIN, 7, 0);
        assertNotEq(base, processor.boundNonce(address(token), SPLIT, 7, 0));
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 8, 0));
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 7, 1));
        assertNotEq(base, processor.boundNonce(address(new MockUSDC(6)), PLAIN, 7, 0));
        vm.chainId(999);
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 7, 0));
    }

    function test_feeMerchantAndSplitsAreTerms() public {
        bytes32 base = processor.boundNonce(address(token), PLAIN, 7, 0);
        uint256 snapshot = vm.snapshotState();
        // The same id with other terms, as on a processor whose registrar cheats.
        bytes32 headSlot = keccak256(abi.encode(uint256(PLAIN), uint256(3)));
        bytes32 head = vm.load(address(processor), headSlot);
        assertEq(address(uint160(uint256(head))), merchant, "the head's slot moved");
        vm.store(address(processor), headSlot, bytes32(uint256(head) ^ 1));
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 7, 0));
        vm.revertToState(snapshot);
        vm.store(address(processor), headSlot, bytes32(uint256(head) ^ (1 << 160)));
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 7, 0));
        vm.revertToState(snapshot);
        vm.store(address(processor), headSlot, bytes32(uint256(head) ^ (1 << 176)));
        assertNotEq(base, processor.boundNonce(address(token), PLAIN, 7, 0));
    }

    function test_theLayoutIsTagAttemptAndCommitment() public view {
        bytes32 nonce = processor.boundNonce(address(token), SPLIT, 7, 0x1234);
        (PayoutHead memory head, Split[] memory splits) = processor.payout(SPLIT);
        bytes32 terms = keccak256(
            abi.encode(block.chainid, address(processor), address(token), SPLIT, head.merchant, head.feeBps, splits)
        );
        bytes32 commitment = keccak256(abi.encode(terms, uint64(7), uint16(0x1234)));
        assertEq(bytes6(nonce), bytes6("svcpay"));
        assertEq(uint16(uint256(nonce) >> 192), 0x1234);
        assertEq(uint192(uint256(nonce)), uint192(uint256(commitment) >> 64));
    }

    function test_anUnknownPayoutHasNoNonce() public {
        vm.expectRevert(abi.encodeWithSelector(PayoutUnknown.selector, 99));
        processor.boundNonce(address(token), 99, 7, 0);
    }

    function testFuzz_randomNoncesStayValid(bytes32 nonce) public {
        vm.assume(bytes6(nonce) != "svcpay");
        Authorization memory a = _authorization(payer, 100);
        a.nonce = nonce;
        assertEq(uint8(_settle(_one(PLAIN, _item(PAYER_KEY, a, 7, 100)))[0]), uint8(ItemCode.Settled));
    }
}
